use super::*;

#[test]
fn markdown_becomes_the_html_of_the_bot_api() {
    check(
        Platform::Telegram,
        &[
            ("hi <b> & \"x\"", "hi &lt;b&gt; &amp; &quot;x&quot;"),
            ("# A **b**\n\nc", "<b>A b</b>\n\nc"),
            (
                "**a** *b* ~~c~~ `d`",
                "<b>a</b> <i>b</i> <s>c</s> <code>d</code>",
            ),
            ("- a\n  - b\n- c", "• a\n  • b\n• c"),
            ("1. a\n\n   b\n2. c", "1. a\n\n   b\n2. c"),
            ("> a\n> > b", "<blockquote>a\n\nb</blockquote>"),
            (
                "```c++\na\n```",
                "<pre><code class=\"language-c++\">a</code></pre>",
            ),
            ("```\na\n\nb\n```", "<pre>a\n\nb</pre>"),
            ("[a](https://x.org)", "<a href=\"https://x.org\">a</a>"),
            ("[a](tg://user?id=1)", "a (tg://user?id=1)"),
            (
                "[a](mailto:b@x.org) <b@x.org>",
                "a (mailto:b@x.org) b@x.org",
            ),
            ("ה**מילה** שלום", "ה<b>מילה</b> שלום"),
            ("*при*вет", "<i>при</i>вет"),
        ],
    );
}

#[test]
fn the_text_has_4096_utf16_units_whatever_its_markup() {
    // 4,096 units of text, which are 16,384 of HTML.
    assert_eq!(render(&"<".repeat(4096), Platform::Telegram).len(), 1);
    assert_eq!(render(&"<".repeat(4097), Platform::Telegram).len(), 2);
    // Two units each.
    assert_eq!(render(&"😀".repeat(2048), Platform::Telegram).len(), 1);
    assert_eq!(render(&"😀".repeat(2049), Platform::Telegram).len(), 2);
    // Eleven units each: 372 families are 4,092.
    let families = render(&FAMILY.repeat(373), Platform::Telegram);
    assert_eq!(families.len(), 2);
    assert_eq!(families[0].body, FAMILY.repeat(372));
    // Bold text is no longer than other text.
    let bold = format!("**{}**", "a".repeat(4096));
    assert_eq!(render(&bold, Platform::Telegram).len(), 1);
}

#[test]
fn a_message_has_100_entities() {
    let words = |count| render(&"**a** ".repeat(count), Platform::Telegram);
    assert_eq!(words(100).len(), 1);
    let parts = words(101);
    assert_eq!(parts.len(), 2);
    assert_eq!(parts[1].formatted.as_deref(), Some("<b>a</b>"));
}
