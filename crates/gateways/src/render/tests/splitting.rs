use super::*;

const SHORT: Platform = Platform::Plain { limit: 128 };

fn bodies(markdown: &str, platform: Platform) -> Vec<String> {
    let parts = render(markdown, platform).into_iter();
    parts.map(|part| part.body).collect()
}

/// A text of `count` characters without blanks.
fn word(count: usize) -> String {
    "x".repeat(count)
}

#[test]
fn a_part_ends_with_a_paragraph_a_line_a_sentence_or_a_word() {
    let (a, b, c) = (word(30), word(40), word(60));
    let cases = [
        // In the second half, the better end wins over the later one.
        (format!("{a} {b}\n\n{a}\n{c}"), format!("{a} {b}")),
        (format!("{a} {b}\n{a}. {c}"), format!("{a} {b}")),
        (format!("{a} {b}. {a} {c}"), format!("{a} {b}.")),
        (format!("{a} «{b}!» {a} {c}"), format!("{a} «{b}!»")),
        (format!("{a} {b} {a} {c}"), format!("{a} {b} {a}")),
        // One in the first half leaves the part too short.
        (format!("{a}\n\n{b} {a} {c}"), format!("{a}\n\n{b} {a}")),
        // Scripts without blanks.
        (
            format!(
                "{}。{}。{}",
                "你".repeat(30),
                "好".repeat(50),
                "吗".repeat(60)
            ),
            format!("{}。{}。", "你".repeat(30), "好".repeat(50)),
        ),
    ];
    for (markdown, first) in cases {
        assert_eq!(bodies(&markdown, SHORT)[0], first, "{markdown}");
    }
}

#[test]
fn a_long_word_is_cut_between_clusters() {
    assert_eq!(bodies(&word(300), SHORT), [word(128), word(128), word(44)]);
    // Seven characters each: 18 of them are 126.
    let parts = bodies(&FAMILY.repeat(40), SHORT);
    assert_eq!(
        parts,
        [FAMILY.repeat(18), FAMILY.repeat(18), FAMILY.repeat(4)]
    );
    // Hebrew with points, and a letter of two characters: a cluster is two.
    let pointed = "שָ".repeat(100);
    assert_eq!(bodies(&pointed, SHORT)[0], "שָ".repeat(64));
    assert_eq!(
        bodies(&"и\u{306}".repeat(100), SHORT)[0],
        "и\u{306}".repeat(64)
    );
}

#[test]
fn a_cluster_longer_than_a_part_is_cut_between_characters() {
    let zalgo = format!("a{}", "\u{301}".repeat(299));
    let parts = bodies(&zalgo, SHORT);
    assert_eq!(parts.concat(), zalgo);
    assert_eq!(
        parts
            .iter()
            .map(|part| part.chars().count())
            .collect::<Vec<_>>(),
        [128, 128, 44]
    );
}

#[test]
fn what_fits_into_a_part_is_not_cut() {
    let filler = "word ".repeat(350);
    let label = "long label ".repeat(40);
    let cases = [
        (format!("{filler}**{}**", label.trim()), "**long"),
        (format!("{filler}`{}`", label.trim()), "`long"),
        (
            format!("{filler}[{}](https://x.org)", label.trim()),
            "[long",
        ),
    ];
    for (markdown, second) in cases {
        let parts = render(&markdown, Platform::Discord);
        assert_eq!(parts.len(), 2);
        assert_eq!(formatted(&parts[0]), filler.trim());
        assert!(formatted(&parts[1]).starts_with(second));
    }
}

#[test]
fn what_is_longer_than_a_part_is_closed_and_opened_again() {
    let text = "word ".repeat(1000);
    let cases = [
        (format!("**{}**", text.trim()), "<b>", "</b>"),
        (format!("> {text}"), "<blockquote>", "</blockquote>"),
        (
            format!("[{}](https://x.org)", text.trim()),
            "<a href=\"https://x.org\">",
            "</a>",
        ),
        (
            format!("```sh\n{}\n```", text.replace(' ', "\n")),
            "<pre><code class=\"language-sh\">",
            "</code></pre>",
        ),
    ];
    for (markdown, open, close) in cases {
        let parts = render(&markdown, Platform::Telegram);
        assert_eq!(parts.len(), 2);
        for part in &parts {
            let html = formatted(part);
            assert!(html.starts_with(open) && html.ends_with(close), "{html}");
            assert!(!html.contains("</code></pre>\n"));
        }
    }
}

#[test]
fn a_block_of_code_is_cut_between_lines_and_keeps_its_indentation() {
    let line = "    let value = other(value);\n";
    let code = format!("```rust\n{}```", line.repeat(100));
    let parts = render(&code, Platform::Discord);
    assert_eq!(parts.len(), 2);
    let mut lines = 0;
    for part in &parts {
        let code = formatted(part).strip_prefix("```rust\n");
        let code = code.and_then(|code| code.strip_suffix("\n```"));
        for inner in code.expect("a block of code").lines() {
            assert_eq!(inner, line.trim_end());
            lines += 1;
        }
    }
    assert_eq!(lines, 100);
}

#[test]
fn a_list_goes_on_with_its_number() {
    let item = |words: usize| format!("1. {}\n", "word ".repeat(words));
    // Between items.
    let parts = render(&item(2000).repeat(3), Platform::Matrix);
    assert_eq!(parts.len(), 3);
    assert!(formatted(&parts[1]).starts_with("<ol start=\"2\"><li>word"));
    // Inside of one.
    let parts = render(&format!("{}{}", item(1), item(6000)), Platform::Matrix);
    assert_eq!(parts.len(), 2);
    assert!(formatted(&parts[1]).starts_with("<ol start=\"2\"><li>word"));
    let parts = bodies(&format!("- {}", "word ".repeat(40)), SHORT);
    assert!(parts[0].starts_with("- word") && parts[1].starts_with("  word"));
}

#[test]
fn every_line_of_a_quotation_is_one_in_every_part() {
    let text = "> word word word\n".repeat(300);
    for part in render(&text, Platform::Slack) {
        assert!(
            formatted(&part)
                .lines()
                .all(|line| line == "> word word word")
        );
    }
}
