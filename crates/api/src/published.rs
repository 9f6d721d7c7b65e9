//! What anybody may read: the solved cases of published channels, with people under other names.

use serde_json::json;
use threadlore_model::{Case, CaseId, Part};
use threadlore_node::Node;
use threadlore_ports::{Readable, Scope};
use threadlore_store_postgres::{PublishedCase, PublishedFilter};

use crate::cases::{lines, near};
use crate::pseudonyms::Pseudonyms;

/// Cases that a page names as alike.
const RELATED: usize = 5;
/// Cases of each kind that are looked at for that.
const FOUND: usize = 20;
/// The least closeness of a case that is alike, in thousandths; where one answers the other it is 450.
const ALIKE: u32 = 100;

/// A case as anybody may read it.
pub(crate) struct PublicCase {
    pub(crate) title: String,
    pub(crate) problem: String,
    pub(crate) solution: String,
    pub(crate) tags: Vec<String>,
    pub(crate) channel: String,
    pub(crate) opened_at: String,
    pub(crate) solved_at: Option<String>,
    pub(crate) confirmations: usize,
    pub(crate) said: Vec<PublicLine>,
}

/// A message of the conversation.
pub(crate) struct PublicLine {
    pub(crate) part: Part,
    pub(crate) by: String,
    pub(crate) at: Option<String>,
    pub(crate) text: String,
    /// Reactions: with what, and by whom.
    pub(crate) reactions: Vec<(String, String)>,
}

/// The case as anybody may read it; `None` where there is nothing to read of it any more.
pub(crate) async fn read(
    node: &Node,
    scope: &Scope,
    case: &Case,
) -> anyhow::Result<Option<PublicCase>> {
    let (Some(title), Some(problem), Some(solution)) = (&case.title, &case.problem, &case.solution)
    else {
        return Ok(None);
    };
    let (mut lines, others) =
        tokio::try_join!(lines(node, scope, case), names_around(node, scope, case))?;
    // What was merged into it may come from a channel that is not published.
    lines.retain(|line| line.merged_from.is_none());
    let people = Pseudonyms::of(&lines, others);
    let names_nobody = |tag: &&String| people.text(tag) == **tag;
    let said = lines.iter().filter_map(|line| {
        let reactions = line.reactions.iter();
        let reactions = reactions.map(|one| {
            let by = people.person(Some(one.person)).to_owned();
            (one.emoji.clone(), by)
        });
        Some(PublicLine {
            part: line.part,
            by: people.person(line.person).to_owned(),
            at: line.at.clone(),
            text: people.text(line.text.as_deref()?),
            reactions: reactions.collect(),
        })
    });
    Ok(Some(PublicCase {
        title: people.text(title),
        problem: people.text(problem),
        solution: people.text(solution),
        tags: case.tags.iter().filter(names_nobody).cloned().collect(),
        channel: case.channel.to_string(),
        opened_at: case.opened_at.to_string(),
        solved_at: case.solved_at.map(|at| at.to_string()),
        confirmations: case.confirmations.len(),
        said: said.collect(),
    }))
}

/// The names of who wrote in the channel of a case around it.
pub(crate) async fn names_around(
    node: &Node,
    scope: &Scope,
    case: &Case,
) -> anyhow::Result<Vec<String>> {
    let at = case.solved_at.unwrap_or(case.changed_at);
    let names = node.store.names_around(scope, &case.channel, at);
    Ok(names.await?)
}

/// The published cases that are nearest to the words of one, the nearest first.
pub(crate) async fn related(
    node: &Node,
    scope: &Scope,
    case: &Case,
) -> anyhow::Result<Vec<PublishedCase>> {
    let words = case.title.as_deref().unwrap_or_default();
    let readable = Readable::all();
    let near = near(node, (scope, &readable), words, FOUND).await;
    let near = near.iter().filter(|one| one.close >= ALIKE);
    let near = near.map(|one| one.case.case).filter(|id| *id != case.case);
    let near: Vec<CaseId> = near.collect();
    let mut found = published_of(node, scope, &near).await?;
    found.truncate(RELATED);
    Ok(found)
}

/// Those of some cases that are published, in the same order.
pub(crate) async fn published_of(
    node: &Node,
    scope: &Scope,
    cases: &[CaseId],
) -> anyhow::Result<Vec<PublishedCase>> {
    if cases.is_empty() {
        return Ok(Vec::new());
    }
    let filter = PublishedFilter {
        space: Some(scope.space()),
        cases: Some(cases),
        with_names: true,
        limit: u32::try_from(cases.len()).unwrap_or(u32::MAX),
    };
    let mut found = node.store.published_cases(filter).await?;
    found.retain(|one| cases.contains(&one.case));
    found.sort_by_key(|one| cases.iter().position(|id| *id == one.case));
    Ok(found)
}

/// A title in which nobody is named: it is made of what somebody wrote.
pub(crate) fn title(case: &PublishedCase) -> String {
    Pseudonyms::of_nobody(&case.names).text(&case.title)
}

/// What search engines read: a question with the answer that solved it, in the words of schema.org.
pub(crate) fn for_search_engines(case: &PublicCase, address: Option<&str>) -> String {
    let answered_by = case.said.iter().find(|one| one.part == Part::Solution);
    let answered_by = answered_by.map_or("Somebody", |one| one.by.as_str());
    let asked_by = case.said.first().map_or("Somebody", |one| one.by.as_str());
    let document = json!({
        "@context": "https://schema.org",
        "@type": "QAPage",
        "mainEntity": {
            "@type": "Question",
            "name": case.title,
            "text": case.problem,
            "answerCount": 1,
            "datePublished": case.opened_at,
            "author": { "@type": "Person", "name": asked_by },
            "acceptedAnswer": {
                "@type": "Answer",
                "text": case.solution,
                "datePublished": case.solved_at,
                "upvoteCount": case.confirmations,
                "url": address.map(|address| format!("{address}#solution")),
                "author": { "@type": "Person", "name": answered_by },
            },
        },
    });
    // What ends the element, or begins one, must not stand in it.
    document.to_string().replace('<', "\\u003c")
}
