//! Holding a dependency graph against the table.

use std::collections::{BTreeMap, VecDeque};

use crate::edges::{Table, Uses};

/// What the names of the workspace's packages start with.
const PREFIX: &str = "threadlore-";

/// Packages by id.
#[derive(Default)]
pub(crate) struct Graph(pub(crate) BTreeMap<String, Package>);

#[derive(Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// Whether it is in this workspace.
    pub(crate) member: bool,
    /// Ids of what it is built from.
    pub(crate) uses: Vec<String>,
    /// Ids of what only its tests are built from.
    pub(crate) tests_use: Vec<String>,
}

/// Every breach of the table, one sentence each.
pub(crate) fn check(graph: &Graph, table: &Table) -> Vec<String> {
    let mut violations = Vec::new();
    for (id, package) in &graph.0 {
        if !package.member {
            continue;
        }
        let name = short(&package.name);
        match table.rows.iter().find(|(row, _)| *row == name) {
            None => violations.push(format!(
                "{name} has no row in the table of allowed edges: add one"
            )),
            Some((_, uses)) => violations.extend(check_edges(graph, table, package, uses)),
        }
        if table.pure.contains(&name) {
            violations.extend(check_purity(graph, table, id));
        }
    }
    for (row, _) in table.rows {
        if !members(graph).any(|package| short(&package.name) == *row) {
            violations.push(format!(
                "{row} has a row in the table but is no crate of the workspace: remove it"
            ));
        }
    }
    violations
}

fn check_edges(graph: &Graph, table: &Table, package: &Package, uses: &Uses) -> Vec<String> {
    let Uses::Only(allowed) = uses else {
        return Vec::new();
    };
    let name = short(&package.name);
    let list = if allowed.is_empty() {
        "no other crate of the workspace".to_owned()
    } else {
        format!("only {}", allowed.join(", "))
    };
    let used_members = |ids: &'_ [String]| -> Vec<String> {
        ids.iter()
            .filter_map(|id| graph.0.get(id))
            .filter(|used| used.member && !allowed.contains(&short(&used.name)))
            .map(|used| short(&used.name).to_owned())
            .collect()
    };
    let tests_may = |used: &str| {
        used == table.in_all_tests
            || used == name
            || table
                .in_tests
                .iter()
                .any(|(user, extra, _)| *user == name && *extra == used)
    };
    let built = used_members(&package.uses)
        .into_iter()
        .map(|used| format!("{name} must not use {used}: it may use {list}"));
    let tested = used_members(&package.tests_use)
        .into_iter()
        .filter(|used| !tests_may(used))
        .map(|used| {
            format!(
                "the tests of {name} must not use {used}: they may use {list}, and {}",
                table.in_all_tests
            )
        });
    built.chain(tested).collect()
}

/// A shortest path to each impure crate, found by breadth first search.
fn check_purity(graph: &Graph, table: &Table, start: &str) -> Vec<String> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::from([(start, start)]);
    let mut queue = VecDeque::from([start]);
    let mut violations = Vec::new();
    while let Some((id, package)) = queue
        .pop_front()
        .and_then(|id| Some((id, graph.0.get(id)?)))
    {
        if table.impure.contains(&package.name.as_str()) {
            let path = path(graph, &came_from, id);
            violations.push(format!(
                "{} must not reach {}, but does: {path}",
                graph.0.get(start).map_or(start, |first| short(&first.name)),
                package.name,
            ));
            continue;
        }
        if table.not_looked_through.contains(&package.name.as_str()) {
            continue;
        }
        for used in &package.uses {
            if !came_from.contains_key(used.as_str()) {
                came_from.insert(used, id);
                queue.push_back(used);
            }
        }
    }
    violations
}

fn path(graph: &Graph, came_from: &BTreeMap<&str, &str>, end: &str) -> String {
    let mut names = Vec::new();
    let mut id = end;
    loop {
        names.push(graph.0.get(id).map_or(id, |package| short(&package.name)));
        match came_from.get(id) {
            Some(before) if *before != id => id = before,
            _ => break,
        }
    }
    names.reverse();
    names.join(" -> ")
}

fn members(graph: &Graph) -> impl Iterator<Item = &Package> {
    graph.0.values().filter(|package| package.member)
}

fn short(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: Table = Table {
        rows: &[
            ("model", Uses::Only(&[])),
            ("decide", Uses::Only(&["model"])),
            ("store", Uses::Only(&["model"])),
            ("testkit", Uses::All),
        ],
        in_tests: &[("store", "decide", "a reason")],
        in_all_tests: "testkit",
        pure: &["decide"],
        impure: &["tokio"],
        not_looked_through: &["tokio-util"],
    };

    /// Packages: name, uses, uses in tests. A name with the prefix is a member.
    fn graph(packages: &[(&str, &[&str], &[&str])]) -> Graph {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Graph(
            packages
                .iter()
                .map(|(name, uses, tests_use)| {
                    let package = Package {
                        name: (*name).to_owned(),
                        member: name.starts_with(PREFIX),
                        uses: owned(uses),
                        tests_use: owned(tests_use),
                    };
                    ((*name).to_owned(), package)
                })
                .collect(),
        )
    }

    #[test]
    fn what_the_table_allows_passes() {
        let graph = graph(&[
            ("threadlore-model", &["serde"], &["threadlore-testkit"]),
            (
                "threadlore-decide",
                &["threadlore-model", "tokio-util"],
                &["tokio"],
            ),
            ("tokio-util", &["tokio"], &[]),
            (
                "threadlore-store",
                &["threadlore-model", "tokio"],
                &["threadlore-decide"],
            ),
            (
                "threadlore-testkit",
                &["threadlore-store", "threadlore-decide"],
                &[],
            ),
            ("serde", &[], &[]),
            ("tokio", &[], &[]),
        ]);
        assert_eq!(check(&graph, &TABLE), Vec::<String>::new());
    }

    #[test]
    fn each_breach_is_named_with_its_edge() {
        let graph = graph(&[
            ("threadlore-model", &["threadlore-store"], &[]),
            ("threadlore-decide", &["async"], &["threadlore-store"]),
            ("threadlore-store", &["threadlore-decide"], &[]),
            ("threadlore-stray", &[], &[]),
            ("async", &["tokio"], &[]),
            ("tokio", &[], &[]),
        ]);
        assert_eq!(
            check(&graph, &TABLE),
            [
                "the tests of decide must not use store: they may use only model, and testkit",
                "decide must not reach tokio, but does: decide -> async -> tokio",
                "model must not use store: it may use no other crate of the workspace",
                "store must not use decide: it may use only model",
                "stray has no row in the table of allowed edges: add one",
                "testkit has a row in the table but is no crate of the workspace: remove it",
            ]
        );
    }
}
