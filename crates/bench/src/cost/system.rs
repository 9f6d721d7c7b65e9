//! One run: the real loops of intake, buffer and extractor, in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, bail};
use async_trait::async_trait;
use threadlore_callers::ExtractCaller;
use threadlore_gateways::{Bots, ImportOptions, Input, Target, end_history, import};
use threadlore_model::{
    Body, CaseId, ChannelId, Evidence, MessageId, Part, Partition, PersonHasher, SpaceId, Timestamp,
};
use threadlore_models::{ChatEngine, ChatSettings};
use threadlore_ports::Clock;
use threadlore_roles::{Buffer, Extractor, Intake, Processor};
use threadlore_roles::{BufferParams, ExtractorParams, IntakeParams};
use threadlore_runtime::{Caller, Limits, NoCaller, Worker};
use threadlore_stream::FoldPorts;
use threadlore_testkit::{MemoryBlobs, MemoryLog, MemoryStore, ModelDouble, fold_ports};

use super::messages::Log;
use super::told::{Book, Doubled};

const NOW: Timestamp = Timestamp::from_millis(1_760_000_000_000);
/// Longer than a channel must stand still before what is left of it is looked at.
const STILL: Duration = Duration::from_secs(60);

/// What came of a run.
#[derive(Default)]
pub(super) struct Run {
    pub(super) messages: usize,
    /// Windows that were looked at.
    pub(super) looks: usize,
    /// Requests to the model.
    pub(super) calls: usize,
    /// Characters in them.
    pub(super) chars: usize,
    pub(super) cases: BTreeMap<CaseId, Found>,
}

/// A case that was found.
#[derive(Default)]
pub(super) struct Found {
    /// Messages that state the problem.
    problem: BTreeSet<MessageId>,
    solved: bool,
}

impl Run {
    pub(super) fn solved(&self) -> usize {
        self.cases.values().filter(|case| case.solved).count()
    }

    /// Of the other's cases the share that this run has too, in hundredths: a case
    /// that has one of the messages that state the problem among its own. Second,
    /// of the other's solved cases the share that this run has and solved.
    pub(super) fn finds(&self, other: &Self) -> (f64, f64) {
        let has = |case: &Found, solved: bool| {
            self.cases
                .values()
                .any(|own| (own.solved || !solved) && !own.problem.is_disjoint(&case.problem))
        };
        let share = |solved: bool| {
            let cases = other.cases.values().filter(|case| case.solved || !solved);
            let (mut all, mut found) = (0, 0);
            for case in cases {
                all += 1;
                found += usize::from(has(case, solved));
            }
            100.0 * f64::from(found as u32) / f64::from(all.max(1))
        };
        (share(false), share(true))
    }

    fn take(&mut self, body: Body) -> anyhow::Result<()> {
        match body {
            Body::MessagePosted(_) => self.messages += 1,
            Body::CaseOpened(opened) => {
                let case = self.cases.entry(opened.case).or_default();
                case.problem.extend(stated(&opened.evidence));
            }
            Body::CaseSolved(solved) => {
                let case = self.cases.entry(solved.case).or_default();
                case.problem.extend(stated(&solved.evidence));
                case.solved = true;
            }
            Body::CaseErased(erased) => {
                self.cases.remove(&erased.case);
            }
            Body::DeadLetter(letter) => bail!("a look failed: {}", letter.reason),
            _ => {}
        }
        Ok(())
    }
}

fn stated(evidence: &[Evidence]) -> impl Iterator<Item = MessageId> {
    let problem = evidence.iter().filter(|e| e.part == Part::Problem);
    problem.map(|e| e.message)
}

/// A clock that is turned when nothing is left to do.
struct Turned(Mutex<Timestamp>);

#[async_trait]
impl Clock for Turned {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    async fn sleep(&self, _by: Duration) {}
}

impl Turned {
    fn turn(&self) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *now = now.plus(STILL);
    }
}

/// Each log is a channel of its own.
///
/// # Errors
/// When a part does not work, or a look fails.
pub(super) fn run(logs: &[Log], buffer: BufferParams) -> anyhow::Result<Run> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("starting the async runtime")?
        .block_on(measure(logs, buffer))
}

async fn measure(logs: &[Log], buffer: BufferParams) -> anyhow::Result<Run> {
    let book = Book::default();
    let answers = book.clone();
    let double = ModelDouble::start(move |asked| answers.answer(asked))?;
    let clock = Arc::new(Turned(Mutex::new(NOW)));
    let engine = Arc::new(Doubled {
        inner: engine(&double, clock.clone())?,
        book,
        looks: AtomicUsize::new(0),
    });
    let log = Arc::new(MemoryLog::new(1, clock.clone()));
    append(&log, logs).await?;
    let ports = fold_ports(&log, &Arc::new(MemoryStore::new()), clock.clone());
    let caller = ExtractCaller(engine.clone());
    let intake = IntakeParams {
        hasher: PersonHasher::new(&[1; 32]),
        max_text_bytes: 65_536,
        case_link_base: String::new(),
    };
    let mut intake = start(Intake(intake), NoCaller, &ports).await?;
    let mut buffer = start(Buffer(buffer), NoCaller, &ports).await?;
    let mut extractor = start(Extractor(ExtractorParams::default()), caller, &ports).await?;
    let mut quiet = 0;
    while quiet < 2 {
        let mut worked = false;
        while intake.step().await? | buffer.step().await? | extractor.step().await? {
            worked = true;
        }
        quiet = if worked { 0 } else { quiet + 1 };
        clock.turn();
    }
    let mut run = Run::default();
    for record in log.dump() {
        let event = record.body.ok().context("a record cannot be read")?;
        run.take(event.body)?;
    }
    run.looks = engine.looks.load(Ordering::Relaxed);
    (run.calls, run.chars) = double.asked().iter().fold((0, 0), |(calls, chars), asked| {
        let sent = asked
            .messages()
            .into_iter()
            .map(|text| text.chars().count());
        (calls + 1, chars + sent.sum::<usize>())
    });
    Ok(run)
}

fn engine(double: &ModelDouble, clock: Arc<Turned>) -> anyhow::Result<ChatEngine> {
    let settings = ChatSettings {
        base_url: double.base_url(),
        model: "double".to_owned(),
        api_key: None,
        timeout: Duration::from_secs(60),
        temperature_zero: true,
        meter: None,
    };
    // Everything is shown: the built-in engine looks at everything too.
    Ok(ChatEngine::new(settings, usize::MAX, clock)?)
}

async fn start<P: Processor>(
    processor: P,
    caller: impl Caller<P> + 'static,
    ports: &FoldPorts,
) -> anyhow::Result<Worker<P>> {
    let worker = Worker::start(
        Arc::new(processor),
        Arc::new(caller),
        Partition(0),
        ports.clone(),
        Limits::default(),
    );
    Ok(worker.await?)
}

async fn append(log: &MemoryLog, logs: &[Log]) -> anyhow::Result<()> {
    let blobs = MemoryBlobs::default();
    for (n, one) in logs.iter().enumerate() {
        let options = ImportOptions {
            target: Target {
                space: SpaceId::parse("bench")?,
                channel: ChannelId::parse(&format!("irc:#{n}"))?,
                bots: Bots::parse(crate::ingest::BOTS)?,
            },
            format: None,
            date: None,
            timezone: None,
            again: false,
        };
        let input = Input {
            name: one.name.clone(),
            size: one.lines.len() as u64,
            reader: std::io::Cursor::new(one.lines.as_bytes()),
        };
        let summary = import(log, &blobs, NOW, &options, input, |_| {}).await?;
        end_history(log, &options.target, &summary).await?;
    }
    Ok(())
}
