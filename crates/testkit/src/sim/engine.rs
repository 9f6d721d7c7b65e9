//! Finds cases in the chat that the workload writes: fast, and with no more
//! sense than a test needs. A line is about matter 7 when it has the word `m7`.

use std::collections::BTreeMap;

use threadlore_model::{Draft, Extraction, Resolved, Signal, Suggested, Window};

/// The matter a text is about.
pub(crate) fn matter(text: &str) -> Option<&str> {
    text.split_whitespace().find(|word| {
        word.len() > 1 && word.starts_with('m') && word[1..].bytes().all(|b| b.is_ascii_digit())
    })
}

/// Matters of one kind may be taken for one.
fn kind(matter: &str) -> &'static str {
    match matter.bytes().last() {
        Some(b'0' | b'2' | b'4' | b'6' | b'8') => "even",
        _ => "odd",
    }
}

#[derive(Default)]
struct Found {
    asks: Vec<usize>,
    answers: Vec<usize>,
    thanks: Vec<usize>,
    /// The last answer that was liked.
    liked: Option<usize>,
}

/// A question with its answer and a thank-you is solved, and so is one whose
/// answer is liked; a question alone is open, and with an answer that is a suggestion.
pub(crate) fn extract(window: &Window) -> Extraction {
    let mut matters: BTreeMap<&str, Found> = BTreeMap::new();
    for (i, line) in window.lines.iter().enumerate() {
        let Some(name) = matter(&line.text).filter(|_| !line.bot) else {
            continue;
        };
        let found = matters.entry(name).or_default();
        match line.text.split_whitespace().next() {
            Some("ask") => found.asks.push(i),
            Some("answer") => {
                found.answers.push(i);
                found.liked = Some(i).filter(|_| line.positive > 0).or(found.liked);
            }
            Some("thanks") => found.thanks.push(i),
            _ => {}
        }
    }
    let mut extraction = Extraction::default();
    for (name, found) in matters {
        let signal = match (
            found.answers.is_empty(),
            found.liked.is_some(),
            found.thanks.is_empty(),
        ) {
            (true, _, _) | (false, false, true) => None,
            (false, true, _) => Some(Signal::Reaction),
            (false, false, false) => Some(Signal::Thanks),
        };
        let signal_line = match signal {
            Some(Signal::Thanks) => found.thanks.last().copied(),
            _ => found.liked.filter(|_| signal.is_some()),
        };
        let said: String = found
            .answers
            .iter()
            .map(|i| window.lines[*i].text.as_str())
            .collect();
        let solution = signal.map(|_| said.clone());
        let open = window.open.iter().find(|known| known.title == name);
        match (open, solution, signal) {
            (Some(known), Some(solution), Some(signal)) if found.asks.is_empty() => {
                extraction.resolved.push(Resolved {
                    case: known.case,
                    solution,
                    solution_lines: found.answers,
                    signal,
                    signal_line,
                });
            }
            (_, solution, signal) if !found.asks.is_empty() => extraction.cases.push(Draft {
                title: name.to_owned(),
                problem: window.lines[found.asks[0]].text.clone(),
                tags: vec![kind(name).to_owned()],
                problem_lines: found.asks,
                suggestion: Some(said).filter(|said| signal.is_none() && !said.is_empty()),
                solution_lines: found.answers,
                other_lines: found.thanks,
                solution,
                signal,
                signal_line,
            }),
            (Some(known), None, None) if !found.answers.is_empty() => {
                extraction.suggested.push(Suggested {
                    case: known.case,
                    suggestion: said,
                    lines: found.answers,
                });
            }
            _ => {}
        }
    }
    extraction
}
