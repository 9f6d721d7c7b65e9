//! `threadlore answers why`: what became of a question, step by step, as its events and tables say it.

use serde_json::Value;
use threadlore_api::questions::{self, Answer, Why, candidates, case_of};

use super::{Call, find};
use crate::cli::OneTurn;
use crate::output::{Output, cut};
use crate::printable::counted;

/// The most candidates that are printed; `--json` has all.
const SHOWN: usize = 8;

pub(super) async fn run(options: &OneTurn, call: &Call<'_>) -> anyhow::Result<u8> {
    let (scope, turn) = find(options, call).await?;
    let why = questions::why(&call.host.node, &scope, &turn).await?;
    if call.json {
        call.out.json(&why)?;
    } else {
        print(&why, call);
    }
    Ok(0)
}

fn print(why: &Why, call: &Call<'_>) {
    let out = call.out;
    for line in &why.lines {
        out.print(line.shown());
    }
    out.print(format_args!("  in {}, turn {}", why.channel, why.turn));
    out.print(format_args!("{}: {}", why.outcome, why.because));
    if let Some(gate) = why.gate {
        out.print(format_args!("the gate saw: {gate}"));
    }
    if let Some(answer) = &why.asks_again {
        out.print(format_args!(
            "asks again what was answered a short time before: `threadlore answers why {answer}`"
        ));
    }
    if !why.context.is_empty() {
        out.print("read with:");
    }
    for context in &why.context {
        out.print(format_args!(
            "  {:<8} {}",
            context.reason,
            context.line.shown()
        ));
    }
    if let Some(answer) = &why.answer {
        print_answer(answer, out);
    }
    if let Some(search) = &why.search {
        print_search(why, search, call);
    }
    out.print("in the log:");
    for one in &why.events {
        let on = one
            .decided_on
            .as_ref()
            .map(|on| format!(", decided on {on}"));
        out.print(format_args!(
            "  {} {} {} at {}{}",
            one.at,
            one.event,
            one.id,
            one.record,
            on.unwrap_or_default()
        ));
    }
}

fn print_search(why: &Why, search: &Value, call: &Call<'_>) {
    let out = call.out;
    let text = |name: &str| search[name].as_str().unwrap_or("nothing").to_owned();
    if search["build"].is_null() {
        out.print("nothing was searched");
    } else {
        out.print(format_args!(
            "searched {}, chances by {}, at most {} of 100 answers wrong",
            text("build"),
            text("closeness"),
            search["wrong_at_most"]
        ));
    }
    let remark = &search["remark"];
    if let Some(outcome) = remark["outcome"].as_str() {
        let by = remark["by"].as_str().unwrap_or_default();
        let sure = remark["confidence"].as_f64().unwrap_or_default() / 1000.0;
        out.print(format_args!(
            "  {by} read the message as feedback on the answer: {outcome}, with confidence {sure:.2}"
        ));
    }
    if let Some(earlier) = search["rewritten"]["earlier"].as_u64() {
        let by = search["rewritten"]["by"].as_str().unwrap_or_default();
        let lines = counted(earlier, "line");
        out.print(format_args!(
            "  the question was rewritten by {by}, with {lines} before it"
        ));
    }
    if let Some(tag) = search["gate"]["tag"].as_str() {
        let by = search["gate"]["by"].as_str().unwrap_or_default();
        out.print(format_args!("  {by} says that it is a {tag}"));
    }
    let none = Vec::new();
    let degraded = search["degraded"].as_array().unwrap_or(&none);
    if !degraded.is_empty() {
        let stages: Vec<&str> = degraded.iter().filter_map(Value::as_str).collect();
        out.print(format_args!(
            "  these did not answer: {}",
            stages.join(", ")
        ));
    }
    let mut found: Vec<&Value> = candidates(Some(search)).iter().collect();
    found.sort_by_key(|one| std::cmp::Reverse(one["close"].as_u64()));
    for one in found.iter().take(SHOWN) {
        let Some(case) = case_of(one) else { continue };
        let title = why.titles.get(&case.to_string());
        let legs = one["legs"].as_object().into_iter().flatten();
        let legs: Vec<String> = legs.map(|(leg, share)| format!("{leg} {share}")).collect();
        out.print(format_args!(
            "  {:>4} of 1000, close {:>4} (an answer needs 450), {:<6}  {}  {}",
            one["chance"].as_u64().unwrap_or_default(),
            one["close"].as_u64().unwrap_or_default(),
            one["layer"].as_str().unwrap_or_default(),
            call.host.node.link(case),
            cut(title.map_or("(erased)", String::as_str), 60)
        ));
        let count = |name: &str| one[name].as_u64().unwrap_or_default();
        let tried = match (count("worked"), count("failed")) {
            (0, 0) => String::new(),
            (worked, failed) => format!("; answers from it: {worked} worked, {failed} failed"),
        };
        let by = match legs.as_slice() {
            [] => "an earlier question".to_owned(),
            legs => legs.join(", "),
        };
        let ranked = one["reranked"].as_u64();
        let ranked = ranked.map(|chance| format!("; {chance} by the model that ranks"));
        let ranked = ranked.unwrap_or_default();
        out.print(format_args!("      found by {by}{ranked}{tried}"));
        let hundredths = |name: &str| count(name) as f64 / 100.0;
        let before = (hundredths("worked_before"), hundredths("failed_before"));
        if before != (0.0, 0.0) {
            let (worked, failed) = before;
            out.print(format_args!(
                "      earlier questions like it, by how alike they are: {worked:.1} worked, {failed:.1} failed"
            ));
        }
    }
    if found.len() > SHOWN {
        let more = counted((found.len() - SHOWN) as u64, "case");
        out.print(format_args!("  and {more} more; --json has all"));
    }
    if let Some(memory) = search.get("repeats").and_then(|id| id.as_str()) {
        out.print(format_args!(
            "somebody asked the same before: `threadlore memory show {memory}`"
        ));
    }
    if let Some(read) = search.get("read").filter(|read| !read.is_null()) {
        let by = read["by"].as_str().unwrap_or_default();
        let count = read["read"].as_array().map_or(0, Vec::len);
        let case = read["case"].as_str().and_then(|case| case.parse().ok());
        let chosen = match case {
            Some(case) => format!("{} answers", call.host.node.link(case)),
            None => match read["tool"].as_str() {
                Some(tool) => format!("the tool {tool} answers"),
                None => "none answers".to_owned(),
            },
        };
        for asked in read["asked"].as_array().into_iter().flatten() {
            let name = |key: &str| asked[key].as_str().unwrap_or_default();
            let what = match asked["answered"].as_bool() {
                Some(true) => "answered",
                _ => "did not answer",
            };
            out.print(format_args!(
                "asked the tool {} ({}), which {what} in {} ms",
                name("tool"),
                name("host"),
                asked["took_ms"]
            ));
        }
        let facts = match read["facts"].as_u64() {
            Some(facts) => format!(", with {} that it was told,", counted(facts, "thing")),
            None => String::new(),
        };
        let words = match read["composed"].as_bool() {
            Some(true) => ", said in its words",
            _ => "",
        };
        out.print(format_args!(
            "read by {by} in {} ms: of {}{facts} {chosen}{words}",
            read["took_ms"],
            counted(count as u64, "case")
        ));
    }
}

fn print_answer(answer: &Answer, out: &Output) {
    out.print(format_args!(
        "answer {}, composed by {}:",
        answer.answer, answer.composer
    ));
    let text = answer.text.as_deref().unwrap_or("(erased)");
    for line in text.lines().filter(|line| !line.is_empty()) {
        out.print(format_args!("  {line}"));
    }
    if let Some(memory) = &answer.memory {
        out.print(format_args!("  quotes `threadlore memory show {memory}`"));
    }
    for delivery in &answer.deliveries {
        out.print(format_args!("  {}", delivery.shown()));
    }
    if let Some(reason) = answer.withdrawn {
        out.print(format_args!("  taken back, because {reason}"));
    }
    if let Some((outcome, because)) = answer.outcome.zip(answer.because) {
        out.print(format_args!("  {outcome}: {because}"));
    }
    if answer.helped + answer.failed > 0 {
        out.print(format_args!(
            "  people say of it: {} that it helped, {} that it failed",
            answer.helped, answer.failed
        ));
    }
}
