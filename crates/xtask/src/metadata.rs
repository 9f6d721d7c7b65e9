//! The dependency graph as cargo resolves it.

use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::check::{Graph, Package};

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Named>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Named {
    id: String,
    name: String,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dep>,
}

#[derive(Deserialize)]
struct Dep {
    pkg: String,
    dep_kinds: Vec<DepKind>,
}

#[derive(Deserialize)]
struct DepKind {
    /// `dev`, `build`, or none for a plain dependency.
    kind: Option<String>,
}

/// Asks cargo for the graph of the workspace around the working directory.
pub(crate) fn read() -> Result<Graph> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--locked"])
        .output()
        .context("cargo cannot be started")?;
    if !output.status.success() {
        bail!(
            "cargo metadata failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let metadata: Metadata = serde_json::from_slice(&output.stdout)
        .context("the output of cargo metadata has another shape than expected")?;
    Ok(graph(metadata))
}

fn graph(metadata: Metadata) -> Graph {
    let mut graph = Graph::default();
    for package in metadata.packages {
        let member = metadata.workspace_members.contains(&package.id);
        graph.0.insert(
            package.id,
            Package {
                name: package.name,
                member,
                ..Package::default()
            },
        );
    }
    for node in metadata.resolve.nodes {
        let Some(package) = graph.0.get_mut(&node.id) else {
            continue;
        };
        for dep in node.deps {
            let is_dev = |kind: &DepKind| kind.kind.as_deref() == Some("dev");
            if !dep.dep_kinds.iter().all(is_dev) {
                package.uses.push(dep.pkg.clone());
            }
            if dep.dep_kinds.iter().any(is_dev) {
                package.tests_use.push(dep.pkg);
            }
        }
    }
    graph
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_dependency_are_told_apart() {
        let metadata = serde_json::from_value(serde_json::json!({
            "packages": [{"id": "a", "name": "threadlore-a"}, {"id": "b", "name": "b"},
                         {"id": "c", "name": "c"}, {"id": "d", "name": "d"}],
            "workspace_members": ["a"],
            "resolve": {"nodes": [{"id": "a", "deps": [
                {"pkg": "b", "dep_kinds": [{"kind": null}, {"kind": "dev"}]},
                {"pkg": "c", "dep_kinds": [{"kind": "dev"}]},
                {"pkg": "d", "dep_kinds": [{"kind": "build"}]}
            ]}]}
        }))
        .expect("the shape of cargo metadata");
        let graph = graph(metadata);
        let package = &graph.0["a"];
        assert_eq!(
            (package.name.as_str(), package.member),
            ("threadlore-a", true)
        );
        assert_eq!(package.uses, ["b", "d"]);
        assert_eq!(package.tests_use, ["b", "c"]);
        assert!(!graph.0["b"].member);
    }
}
