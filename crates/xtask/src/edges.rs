//! Who may use whom. A new edge is a decision: change the row and say why in the commit.

/// What the workspace allows.
pub(crate) struct Table {
    pub(crate) rows: &'static [(&'static str, Uses)],
    /// What tests may use beyond the row: user, used, reason.
    pub(crate) in_tests: &'static [(&'static str, &'static str, &'static str)],
    /// May be used by every crate's tests.
    pub(crate) in_all_tests: &'static str,
    /// These crates reach none of `impure`, by any path.
    pub(crate) pure: &'static [&'static str],
    pub(crate) impure: &'static [&'static str],
    /// What they may use although it reaches some of `impure`.
    pub(crate) not_looked_through: &'static [&'static str],
}

/// The workspace crates that a crate may use; names without `threadlore-`.
pub(crate) enum Uses {
    All,
    Only(&'static [&'static str]),
}
use Uses::{All, Only};

pub(crate) const TABLE: Table = Table {
    rows: &[
        // What is true of everything: ids, events, time.
        ("model", Only(&[])),
        // Texts, rules and folds see nothing but the model. A role folds the rows that it owns
        // with the function that readers' tables are folded with.
        ("language", Only(&["model"])),
        ("fold", Only(&["model"])),
        ("roles", Only(&["language", "fold", "model"])),
        ("schema", Only(&["model"])),
        ("ports", Only(&["model"])),
        // What the two loops share; no adapter uses it.
        ("stream", Only(&["ports", "model"])),
        ("runtime", Only(&["roles", "stream", "ports", "model"])),
        ("callers", Only(&["runtime", "roles", "ports", "model"])),
        ("retrieval", Only(&["language", "ports", "model"])),
        // No model and no sender to call.
        ("replay", Only(&["fold", "stream", "ports", "model"])),
        // Adapters never see each other.
        ("log-local", Only(&["ports", "schema", "model"])),
        ("log-kafka", Only(&["ports", "schema", "model"])),
        ("store-postgres", Only(&["ports", "fold", "model"])),
        ("index-local", Only(&["ports", "model"])),
        ("index-qdrant", Only(&["ports", "model"])),
        ("models", Only(&["language", "ports", "model"])),
        ("embed-local", Only(&["ports", "model"])),
        ("gateways", Only(&["ports", "model"])),
        // Leaves.
        ("pg-local", Only(&[])),
        ("settings", Only(&["roles"])),
        ("telemetry", Only(&[])),
        // Composition: it opens every part. Only the command line and the measurements use it.
        (
            "node",
            Only(&[
                "model",
                "language",
                "fold",
                "roles",
                "schema",
                "ports",
                "stream",
                "runtime",
                "callers",
                "retrieval",
                "replay",
                "log-local",
                "log-kafka",
                "store-postgres",
                "index-local",
                "index-qdrant",
                "models",
                "embed-local",
                "gateways",
                "pg-local",
                "settings",
                "telemetry",
            ]),
        ),
        // What people and programs are shown; no adapter but the tables, through the node.
        (
            "api",
            Only(&[
                "node",
                "retrieval",
                "store-postgres",
                "language",
                "fold",
                "settings",
                "telemetry",
                "ports",
                "model",
            ]),
        ),
        // The command line, and tools.
        ("app", All),
        ("bench", All),
        ("testkit", All),
        ("training", Only(&["language", "model"])),
        ("xtask", All),
    ],
    in_tests: &[(
        "store-postgres",
        "pg-local",
        "its tests start a private PostgreSQL",
    )],
    in_all_tests: "testkit",
    // The runtime is here so that the simulation can own time and scheduling.
    pure: &["model", "language", "fold", "roles", "runtime"],
    impure: &[
        "fjall",
        "qdrant-client",
        "rdkafka",
        "reqwest",
        "sqlx",
        "tokio",
    ],
    // Its `CancellationToken` wakes by wakers alone; nothing of it spawns or sleeps.
    not_looked_through: &["tokio-util"],
};
