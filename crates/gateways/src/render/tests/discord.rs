use super::*;

#[test]
fn markdown_becomes_the_markdown_of_discord() {
    check(
        Platform::Discord,
        &[
            ("# A **b**\n\nc", "**A b**\n\nc"),
            ("__a__ _b_ ~~c~~ `d`", "**a** *b* ~~c~~ `d`"),
            ("***a***", "*¦**a**¦*"),
            ("**a\nb**", "**a**\n**b**"),
            ("* a\n  * b\n* c", "- a\n  - b\n- c"),
            ("3. a\n4. b", "3. a\n4. b"),
            ("> a\n> > b", "> a\n> \n> b"),
            (
                "> ```sh\n> a\n>\n> b\n> ```",
                "> ```sh\n> a\n> \n> b\n> ```",
            ),
            ("- a\n\n  ```\n  b\n  ```", "- a\n\n```\nb\n```"),
            ("[a](https://x.org)", "[a](<https://x.org>)"),
            ("https://x.org/a_b!", "<https://x.org/a_b>!"),
            ("[a](<https://x.org/)b>)", "[a](<https://x.org/%29b>)"),
            ("[a](mailto:b@x.org)", "a (mailto:b@x.org)"),
        ],
    );
}

#[test]
fn text_that_looks_like_markdown_is_text() {
    check(
        Platform::Discord,
        &[
            (
                "a_b \\*c\\* \\~\\~d\\~\\~ \\`e\\` ||f||",
                "a\\_b \\*c\\* \\~\\~d\\~\\~ \\`e\\` \\|\\|f\\|\\|",
            ),
            (
                "\\# a\n\\- b\n\\+ c\n1\\. d\n\\> e",
                "\\# a\n\\- b\n\\+ c\n1\\. d\n\\> e",
            ),
            ("a - b # c > d 1. e", "a - b # c > d 1. e"),
            ("\\[a](x)", "\\[a\\](x)"),
            ("``a`b``", "``a`b``"),
            ("`` `a` ``", "``¦`a`¦``"),
            ("``` a``b ```", "``a`¦`b``"),
            ("````\n```\n````", "```\n``¦`\n```"),
        ],
    );
}

#[test]
fn nobody_is_notified() {
    check(
        Platform::Discord,
        &[
            ("@everyone @HERE", "@¦everyone @¦HERE"),
            ("<@1> <@&2> <#3>", "\\<¦@1> \\<¦@&2> \\<¦#3>"),
            ("@\u{301}everyone", "@¦\u{301}everyone"),
            ("`@everyone`", "`@¦everyone`"),
        ],
    );
    assert_eq!(
        body("@*everyone* <@1>", Platform::Discord),
        "@¦everyone <¦@1>"
    );
}
