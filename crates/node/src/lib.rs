//! Composition: the parts of a process, as the settings choose them, and the roles that run on them.
//!
//! A [`Node`] holds what a process works with: the log, the keys, the database, the index, the
//! models. All of it is in one data directory, which this process then owns, or elsewhere, shared
//! with other processes. [`Roles`] are tasks on a node, one for each role and partition that is this
//! process's. A [`Host`] is a node with its roles, started once something needs them.
//!
//! Who uses a node decides what is done with it: the command line (`threadlore-app`) and the
//! measurements (`threadlore-bench`). Nothing is printed here, and no exit code is known here: what
//! cannot be done is an error with a type ([`BadInput`], [`Busy`], [`InUse`], [`ImportedAlready`]) or
//! an error of a part.
//!
//! | module | holds |
//! |---|---|
//! | [`node`](Node) | everything that is opened, and what other parts get of it |
//! | [`host`](Host) | a node and its roles |
//! | [`roles`](Roles) | the roles as tasks, with their settings |
//! | `share` | work on the partitions that are this process's, as they come and go |
//! | [`feeding`](Feeding), `feeder` | the builds of projections that are fed, and the right to change them |
//! | [`builds`](Build) | what each build is, how far it has read, and which is live |
//! | [`replays`](ReplayRequest) | building a projection anew, and comparing it with the live build |
//! | `runs` | decision runs: what the log says of them, and the builds that show them |
//! | [`cost`](Cost) | what it would cost to decide history anew |
//! | [`drain`](Backlog) | what is left to do |
//! | `truncation` | `chat.inbox` without what `intake` took |
//! | `gateways` | the gateways that the settings choose, and their inboxes |
//! | `ingest` | messages that programs send |
//! | [`dead_letters`](Letter) | dead letters, and another try for them |
//! | `channels` | the configuration of channels |
//! | `requests` | what is asked of the owner of cases |
//! | `outside`, `steer` | what answers the responder: memory, and who carries out instructions |
//! | `forget` | forgetting a person |
//! | [`kept`](Kept), `log`, `index`, `tables`, `engine` | the parts that the settings choose |
//! | `lock`, `owner_only` | the data directory: one owner, one format, closed to other users |
//! | `models` | where the models of this process are |
//! | `guard` | files that may be damaged |
//! | [`imports`](Imports) | the files that are being imported |
//! | [`import_plan`](ImportPlan) | which files or chats go to which channel, and appending them to the log |
//! | [`http`](Http), `observer`, `outages` | metrics, health, spans, and what the log says of outages |
//! | [`clock`](SystemClock), [`environment`](Environment) | the only users of the wall clock and of the environment |
//! | `error` | why a node is not opened or refuses |

mod builds;
mod channels;
mod clock;
mod cost;
mod dead_letters;
mod drain;
mod engine;
mod environment;
mod error;
mod events;
mod feeder;
mod feeding;
mod forget;
mod gateways;
mod guard;
mod host;
mod http;
mod import_plan;
mod imports;
mod index;
mod ingest;
mod kept;
mod lock;
mod log;
mod models;
mod node;
mod note;
mod objects;
mod observer;
mod outages;
mod outside;
mod owner_only;
mod remember;
mod replays;
mod requests;
mod roles;
mod runs;
mod share;
mod steer;
mod tables;
mod teach;
mod truncation;
mod upgrade;
mod wordings;

pub use builds::{Build, ReplayState};
pub use channels::is_address;
pub use clock::SystemClock;
pub use cost::Cost;
pub use dead_letters::{
    DeadLetterFilter, DeadLetterPlace, DeadLetterSource, Letter, Redrive, RedriveRefusal,
    WhichDeadLetters, dead_letter_topic, dead_letters_from,
};
pub use drain::{Backlog, Waiting};
pub use environment::Environment;
pub use error::{BadInput, Busy, ImportedAlready, InUse, OtherVersion};
pub use feeding::{Feeding, Held};
pub use host::Host;
pub use http::Http;
pub use import_plan::{ExportContents, ImportPlan, ImportRequest, ImportSource};
pub use imports::{Importing, Imports};
pub use kept::{Kept, people_key_file};
pub use lock::{LEAST_ROOM, ROOM, is_full, is_made, owner};
pub use log::{kafka, topics};
pub use models::{make_models_dir, models_dir};
pub use node::Node;
pub use objects::{Objects, is_objects};
pub use remember::{MemoryChange, NotChanged, NotRemembered, worth_remembering};
pub use replays::{
    BuildComparison, BuildUntil, DigestPair, ReplayEnd, ReplayRequest, ReplayStage, TableDigest,
    Watcher, none_under_way,
};
pub use requests::CaseChange;
pub use roles::{Roles, WORKERS};
pub use runs::Ends;
pub use tables::{read_urls, search as postgres_search};
pub use teach::Lesson;
pub use wordings::OwnWords;
