use super::*;

#[test]
fn markdown_becomes_mrkdwn() {
    check(
        Platform::Slack,
        &[
            ("# A **b**\n\nc", "*A b*\n\nc"),
            ("**a** *b* ~~c~~ `d` ***e***", "*a* _b_ ~c~ `d` _*e*_"),
            ("- a\n  - b\n- c", "• a\n  • b\n• c"),
            ("> a\n> > b", "> a\n> \n> b"),
            (
                "> a\n>\n> ```\n> b\n> ```\n>\n> c",
                "> a\n\n```\nb\n```\n> \n> c",
            ),
            ("```rust\na & b\n```", "```\na &amp; b\n```"),
            (
                "[a *b*](https://x.org/?c&d)",
                "<https://x.org/?c&amp;d|a b>",
            ),
            ("https://x.org/a_b", "<https://x.org/a_b>"),
            ("<b@x.org>", "<mailto:b@x.org|b@x.org>"),
            ("[a](<https://x.org/|b>)", "<https://x.org/%7Cb|a>"),
        ],
    );
}

#[test]
fn a_style_ends_with_its_line_and_stands_apart_from_letters() {
    check(
        Platform::Slack,
        &[
            ("**a\nb** c", "*a*\n*b* c"),
            ("A\nb\n===", "*A*\n*b*"),
            ("ה**מילה**ב", "ה¦*מילה*¦ב"),
            ("**a**, b", "*a*, b"),
        ],
    );
}

#[test]
fn text_that_looks_like_mrkdwn_is_text() {
    check(
        Platform::Slack,
        &[
            ("a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"),
            ("\\*a\\* \\_b\\_ \\~c\\~", "*¦a* _¦b_ ~¦c~"),
            ("snake_case 2 * 3", "snake_case 2 * 3"),
            ("\\`a\\`", "`¦a`¦"),
            ("``a`b``", "a`¦b"),
            ("````\n```\n````", "```\n``¦`\n```"),
            ("\\> a", "¦&gt; a"),
        ],
    );
}

#[test]
fn nobody_is_notified() {
    check(
        Platform::Slack,
        &[
            (
                "\\<!channel> <!here> <@U1>",
                "&lt;¦!channel&gt; &lt;¦!here&gt; &lt;¦@U1&gt;",
            ),
            ("@here @Everyone @channel", "@¦here @¦Everyone @¦channel"),
            ("`<!channel>`", "`&lt;¦!channel&gt;`"),
            ("[<!here>](https://x.org)", "<https://x.org|&lt;¦!here&gt;>"),
            ("[a](!here)", "a (!here)"),
        ],
    );
    assert_eq!(
        body("\\<!channel> @here", Platform::Slack),
        "<¦!channel> @¦here"
    );
}
