use super::*;

#[test]
fn markup_goes_and_lists_quotations_and_targets_stay() {
    let cases = [
        ("# Title\n\ntext", "Title\n\ntext"),
        ("**bold** *it* ~~no~~ `code`", "bold it no code"),
        ("- a\n- b\n  1. c\n  2. d", "- a\n- b\n  1. c\n  2. d"),
        ("3) c\n4) d", "3. c\n4. d"),
        ("- a\n\n- b\n\n  more", "- a\n- b\n\n  more"),
        ("> a\n> b\n>\n> > c", "> a\n> b\n> \n> > c"),
        ("```sh\nls -l\n\n  x\n```\nend", "ls -l\n\n  x\n\nend"),
        ("[a](https://x.org)", "a (https://x.org)"),
        ("<https://x.org>", "https://x.org"),
        ("![a](https://x.org/p.png)", "a (https://x.org/p.png)"),
        ("![](https://x.org/p.png)", "https://x.org/p.png"),
        ("a\n\n***\n\nb", "a\n\n———\n\nb"),
        ("AT&amp;T \\*", "AT&T *"),
        ("", ""),
        ("**\n", "**"),
    ];
    for (markdown, expected) in cases {
        assert_eq!(body(markdown, WHOLE), expected, "{markdown:?}");
        assert!(
            render(markdown, WHOLE)
                .iter()
                .all(|part| part.formatted.is_none())
        );
    }
}

#[test]
fn what_markdown_would_hide_is_shown() {
    for text in [
        "[12:03]: hello",
        "[12:03]: hello\n\n[12:03]: hello again",
        "[^1]: a note",
        "| a | b |\n|---|---|\n| `ls | wc` | 2 |",
        "<div>\na\n</div>",
        "<!-- a -->",
    ] {
        let shown = text.replace('`', "");
        assert_eq!(body(text, WHOLE), shown, "{text:?}");
    }
    let code = "```\n[12:03]: hello\n```";
    assert_eq!(body(code, WHOLE), "[12:03]: hello");
    let defined = "see [1]\n\n[1]: https://x.org";
    assert_eq!(body(defined, WHOLE), "see 1 (https://x.org)");
}

#[test]
fn deep_nesting_is_flattened() {
    assert_eq!(body(&format!("{} a", ">".repeat(9)), WHOLE), "> > > > a");
    assert_eq!(body("- - - - - - a", WHOLE), "- - - - a");
    assert_eq!(
        body("1. 1. 1. 1. 1. a\n               b", WHOLE),
        "1. 1. 1. 1. a\n            b"
    );
}

#[test]
fn nothing_to_see_is_no_message() {
    for text in [
        "",
        " \n\n",
        "\u{200b}",
        "&nbsp;",
        "- \n- ",
        "> ",
        "``` \n```",
        "\u{202e}",
    ] {
        assert!(render(text, WHOLE).is_empty(), "{text:?}");
    }
}

#[test]
fn a_limit_counts_as_at_least_128() {
    let parts = render(&"word ".repeat(60), Platform::Plain { limit: 0 });
    assert_eq!(parts.len(), 3);
    assert!(parts.iter().all(|part| part.body.chars().count() <= 128));
}
