use super::*;

#[test]
fn markdown_becomes_html() {
    check(
        Platform::Matrix,
        &[
            ("hi", "<p>hi</p>"),
            ("# A *b*", "<h1>A <em>b</em></h1>"),
            ("# A **b**", "<h1>A b</h1>"),
            (
                "**a** *b* ~~c~~ ***d***",
                "<p><strong>a</strong> <em>b</em> <del>c</del> <em><strong>d</strong></em></p>",
            ),
            ("a\nb\\\nc", "<p>a<br>b<br>c</p>"),
            ("a\n\nb", "<p>a</p><p>b</p>"),
            ("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
            (
                "- a\n  - b\n- c",
                "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>",
            ),
            ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"),
            ("7. a", "<ol start=\"7\"><li>a</li></ol>"),
            ("> a\n>\n> b", "<blockquote><p>a</p><p>b</p></blockquote>"),
            (
                "```rust\na < b\n\nc\n```",
                "<pre><code class=\"language-rust\">a &lt; b\n\nc</code></pre>",
            ),
            ("```\"><b>\na\n```", "<pre><code>a</code></pre>"),
            ("`a & b`", "<p><code>a &amp; b</code></p>"),
            (
                "- - - - - a\n        - b",
                "<ul><li><ul><li><ul><li><ul><li>a<br>b</li></ul></li></ul></li></ul></li></ul>",
            ),
        ],
    );
}

#[test]
fn raw_html_is_text() {
    check(
        Platform::Matrix,
        &[
            (
                "<b>x</b> & \"y\"",
                "<p>&lt;b&gt;x&lt;/b&gt; &amp; &quot;y&quot;</p>",
            ),
            (
                "<script>\nx\n</script>",
                "<p>&lt;script&gt;<br>x<br>&lt;/script&gt;</p>",
            ),
            ("<img src=x onerror=y", "<p>&lt;img src=x onerror=y</p>"),
            ("&lt;b&gt;", "<p>&lt;b&gt;</p>"),
        ],
    );
}

#[test]
fn only_web_and_mail_addresses_are_links() {
    check(
        Platform::Matrix,
        &[
            (
                "[a](https://x.org/?b=1&c=2)",
                "<p><a href=\"https://x.org/?b=1&amp;c=2\">a</a></p>",
            ),
            ("[a](HTTP://x.org)", "<p><a href=\"HTTP://x.org\">a</a></p>"),
            (
                "[a](mailto:b@x.org)",
                "<p><a href=\"mailto:b@x.org\">a</a></p>",
            ),
            ("<b@x.org>", "<p><a href=\"mailto:b@x.org\">b@x.org</a></p>"),
            (
                "[a](https://matrix.to/#/@b:x.org)",
                "<p><a href=\"https://matrix.to/#/@b:x.org\">a</a></p>",
            ),
            ("[a](javascript:b)", "<p>a (javascript:b)</p>"),
            ("[a](JavaScript&colon;b)", "<p>a (JavaScript:b)</p>"),
            ("[a](data:text/html,b)", "<p>a (data:text/html,b)</p>"),
            ("[a](/b)", "<p>a (/b)</p>"),
            (
                "<https://x.org/\"onclick=\"b>",
                "<p><a href=\"https://x.org/%22onclick=%22b\">https://x.org/&quot;onclick=&quot;b</a></p>",
            ),
            (
                "[a](<https://x.org/ b'\"|>)",
                "<p><a href=\"https://x.org/%20b'%22%7C\">a</a></p>",
            ),
            (
                "[**a** b](https://x.org)",
                "<p><a href=\"https://x.org\"><strong>a</strong> b</a></p>",
            ),
            (
                "[https://bank.org](https://x.org)",
                "<p>https://bank.org (<a href=\"https://x.org\">https://x.org</a>)</p>",
            ),
            (
                "see https://ru.wikipedia.org/wiki/Кошка_(кот), and (https://x.org/a).",
                "<p>see <a href=\"https://ru.wikipedia.org/wiki/Кошка_(кот)\">https://ru.wikipedia.org/wiki/Кошка_(кот)</a>, \
                 and (<a href=\"https://x.org/a\">https://x.org/a</a>).</p>",
            ),
            (
                "xhttp://a `http://a`",
                "<p>xhttp://a <code>http://a</code></p>",
            ),
        ],
    );
}

#[test]
fn a_link_inside_another_one_is_its_text() {
    let html = markup(
        "[![a](https://x.org/p.png) b](https://x.org)",
        Platform::Matrix,
    );
    assert_eq!(html, "<p><a href=\"https://x.org\">a b</a></p>");
    let html = markup(
        "![a [b](https://x.org/b)](https://x.org/p.png)",
        Platform::Matrix,
    );
    assert_eq!(html, "<p><a href=\"https://x.org/p.png\">a b</a></p>");
}

#[test]
fn the_room_is_not_notified() {
    for text in [
        "@room",
        "hi @ROOM!",
        "@**room**",
        "@&#114;oom",
        "@\u{202e}room",
        "`@room`",
        "@r\u{301}oom",
    ] {
        let (html, body) = (markup(text, Platform::Matrix), body(text, Platform::Matrix));
        assert!(html.contains("@¦") || html.contains("@</"), "{html}");
        assert!(body.contains("@¦"), "{body}");
    }
    let link = body("[a](https://x.org/@room)", Platform::Matrix);
    assert_eq!(link, "a (https://x.org/%40room)");
    assert_eq!(body("@bob roommate", Platform::Matrix), "@bob roommate");
}
