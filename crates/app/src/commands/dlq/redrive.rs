//! `threadlore dlq redrive`: another try for dead letters.

use serde::Serialize;
use threadlore_model::Event;
use threadlore_ports::{EventLog, NewRecord, PortError, all_partitions};
use threadlore_roles::redrive::redrive;
use threadlore_schema::{Codec, Topics};

use super::letter::{Letter, one, record, redriven};
use super::{Call, page};
use crate::cli::DlqRedrive;
use crate::commands::import::work;
use crate::exit::BAD_INPUT;
use crate::printable::counted;

/// How many refusals are printed; the others are counted.
const NAMED: usize = 20;

/// The result of the command.
#[derive(Debug, Default, Serialize)]
struct Done {
    redriven: u64,
    /// Redriven before; nothing was added.
    already: u64,
    refused: u64,
    first_refused: Vec<Refused>,
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct Refused {
    letter: String,
    reason: String,
}

pub(super) async fn run(options: &DlqRedrive, call: &Call<'_>) -> anyhow::Result<u8> {
    let log = call.host.node.log.as_ref();
    call.host.node.check_not_restoring().await?;
    let mut done = Done {
        dry_run: options.dry_run,
        ..Done::default()
    };
    let mut named = Vec::new();
    for place in &options.letters {
        named.push(one(log, *place).await?);
    }
    done.take(log, named).await?;
    for at in options
        .topic
        .into_iter()
        .flat_map(|topic| all_partitions(log, topic))
    {
        let range = log.range(at).await?;
        let mut from = range.start;
        // Later dead letters are not redriven by this command.
        while from < range.end
            && let Some((mut letters, next)) = page(log, at, from).await?
        {
            from = next;
            let reason = options.reason.as_deref().unwrap_or_default();
            letters.retain(|l| l.place.offset < range.end && l.dead.reason.contains(reason));
            done.take(log, letters).await?;
        }
    }
    if done.redriven > 0 && !options.dry_run {
        work(call).await?;
    }
    done.tell(call)?;
    Ok(if done.refused > 0 { BAD_INPUT } else { 0 })
}

/// The source record, rebuilt from the dead letter because it is gone from its topic. It has no
/// headers; a platform event needs none.
fn of_letter(log: &dyn EventLog, letter: &Letter) -> Result<Box<Event>, String> {
    const GONE: &str = "its record is not in the log any more";
    let (key, value) = (&letter.envelope.key, &letter.dead.value);
    if value.is_empty() {
        return Err(format!("{GONE}: send or import it again"));
    }
    let at = letter.source().at;
    let topics = Topics::embedded().with_partitions(log.partitions(at.topic));
    let event = Codec::new().decode_at(&topics, at, &[], key.as_str().as_bytes(), value);
    event.map_err(|why| format!("{GONE}, and the dead letter's copy cannot be used: {why}"))
}

impl Done {
    /// Redrives a page of dead letters, each at most once.
    async fn take(&mut self, log: &dyn EventLog, letters: Vec<Letter>) -> Result<(), PortError> {
        let mut before = redriven(log, &letters).await?;
        for letter in letters {
            if before.contains_key(&letter.envelope.id) {
                self.already += 1;
                continue;
            }
            let source = letter.source();
            let body = match record(log, source).await? {
                Some(record) => record.body.map_err(|bad| bad.reason),
                None => of_letter(log, &letter),
            };
            let body = body.as_deref().map_err(String::as_str);
            match redrive(&letter.cause(), &letter.dead, body) {
                Ok(event) => {
                    if let Some(topic) = event.body.topic().filter(|_| !self.dry_run) {
                        log.publish(vec![NewRecord { topic, event }]).await?;
                    }
                    before.insert(letter.envelope.id, letter.place);
                    self.redriven += 1;
                }
                Err(why) => self.refuse(&letter, why.0),
            }
        }
        Ok(())
    }

    fn refuse(&mut self, letter: &Letter, reason: String) {
        self.refused += 1;
        if self.first_refused.len() < NAMED {
            let letter = letter.place.to_string();
            self.first_refused.push(Refused { letter, reason });
        }
    }

    fn tell(&self, call: &Call<'_>) -> anyhow::Result<()> {
        if call.json {
            call.out.json(self)?;
            return Ok(());
        }
        let verb = if self.dry_run { "can be" } else { "were" };
        let (redriven, already, refused) = (self.redriven, self.already, self.refused);
        call.out.print(format_args!(
            "{} {verb} redriven, {already} were before, {refused} cannot be",
            counted(redriven, "dead letter")
        ));
        for Refused { letter, reason } in &self.first_refused {
            call.out.print(format_args!("  {letter}: {reason}"));
        }
        let rest = self.refused - self.first_refused.len() as u64;
        if rest > 0 {
            call.out.print(format_args!("  and {rest} more"));
        }
        Ok(())
    }
}
