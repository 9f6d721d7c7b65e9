//! What somebody wrote in a mail, without what is quoted, signed or added by a list.

/// Words that stand before what is quoted, in several languages.
const WROTE: [&str; 12] = [
    "wrote",
    "writes",
    "said",
    "schrieb",
    "écrit",
    "escribió",
    "escreveu",
    "ha scritto",
    "пишет",
    "написал",
    "пише",
    "כתב",
];
/// How a line begins that says when somebody wrote.
const ON: [&str; 8] = ["On ", "Am ", "Le ", "El ", "Em ", "Il ", "В ", "У "];
/// What stands before a mail that is added as a whole.
const BEFORE_WHOLE: [&str; 3] = [
    "-----original message-----",
    "---------- forwarded message",
    "-------- original message",
];
/// The most lines that say who is quoted.
const ATTRIBUTION: usize = 3;

pub(super) fn own_words(body: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut quoted = false;
    for line in body.lines().map(str::trim_end) {
        if is_end(line) {
            break;
        }
        let is_quote = line.trim_start().starts_with('>');
        if is_quote && !quoted {
            without_attribution(&mut kept);
        }
        quoted = is_quote || (quoted && line.is_empty());
        let doubled = line.is_empty() && kept.last().is_none_or(|last| last.is_empty());
        if !is_quote && !doubled {
            kept.push(line);
        }
    }
    kept.join("\n").trim().to_owned()
}

/// Whether nothing that somebody wrote comes from here on: a signature, the note of a list, a mail that is
/// added as a whole.
fn is_end(line: &str) -> bool {
    let lower = line.to_lowercase();
    line == "--"
        || (line.len() >= 20 && line.bytes().all(|b| b == b'_'))
        || BEFORE_WHOLE.iter().any(|begins| lower.starts_with(begins))
}

/// Takes away `On Monday, Ann wrote:`, which may be of several lines.
fn without_attribution(kept: &mut Vec<&str>) {
    let end = kept.iter().rposition(|line| !line.is_empty());
    let Some(end) = end.filter(|end| says_who(kept[*end])) else {
        return;
    };
    let first = (end + 1).saturating_sub(ATTRIBUTION);
    let is_begun = |line: &str| line.ends_with(',') || ON.iter().any(|on| line.starts_with(on));
    let above = kept[first..end]
        .iter()
        .rev()
        .take_while(|line| is_begun(line));
    kept.truncate(end - above.count());
}

fn says_who(line: &str) -> bool {
    let line = line.to_lowercase();
    line.ends_with(':') && WROTE.iter().any(|wrote| line.contains(wrote))
}

/// What a thread is about, without what programs put before it.
pub(super) fn subject(written: &str) -> String {
    let mut rest = written.trim();
    loop {
        let tag = rest
            .strip_prefix('[')
            .and_then(|inner| inner.split_once(']'));
        let lower = rest.to_lowercase();
        let answer = ["re:", "aw:", "fwd:", "fw:", "sv:"];
        rest = match (
            tag,
            answer.iter().find(|answer| lower.starts_with(**answer)),
        ) {
            (Some((_, behind)), _) if !behind.trim().is_empty() => behind.trim_start(),
            (_, Some(answer)) => rest[answer.len()..].trim_start(),
            _ => return rest.split_whitespace().collect::<Vec<_>>().join(" "),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_is_left_out() {
        for (body, own) in [
            ("Hello,\n\nhow do I?\n", "Hello,\n\nhow do I?"),
            (
                "On Mon, 5 Jan 2009, Ann Lee wrote:\n> how do I?\n\nLike this:\n  mount -a\n",
                "Like this:\n  mount -a",
            ),
            (
                "Yes.\n\nOn Mon, Jan 5, 2009 at 10:00 AM,\nAnn Lee <ann@x.org> wrote:\n> > old\n> new\n",
                "Yes.",
            ),
            (
                "Ann <ann@x.org> schrieb am 5.1.:\n> wie?\nso\n> und?\nso auch",
                "so\nso auch",
            ),
            ("Try this:\n> ls\n", "Try this:"),
            ("works\n-- \nAnn\nhttps://x.org", "works"),
            (
                "works\n_______________________________________________\nlist mailing list",
                "works",
            ),
            ("works\n-----Original Message-----\nFrom: x\n", "works"),
            ("> all quoted\n", ""),
            ("", ""),
        ] {
            assert_eq!(own_words(body), own, "{body}");
        }
    }

    #[test]
    fn a_subject_is_what_a_thread_is_about() {
        for (written, about) in [
            ("[users] How do I mount?", "How do I mount?"),
            ("Re: [users] RE: How do\n I mount?", "How do I mount?"),
            ("[solved]", "[solved]"),
            ("", ""),
        ] {
            assert_eq!(subject(written), about);
        }
    }
}
