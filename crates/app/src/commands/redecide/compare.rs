//! The cases of two runs side by side.

use std::collections::BTreeMap;

use serde::Serialize;
use threadlore_fold::{Beside, Outline, beside, standing};
use threadlore_model::{Case, CaseId, Run, SpaceId};
use threadlore_ports::{Generation, IndexSource};

use super::{Call, through};
use crate::exit::BadInput;
use crate::output::cut;

/// Cases read at a time.
const PAGE: usize = 1000;
/// Characters of a text that are shown.
const WIDTH: usize = 100;

/// A run beside the live one.
pub(super) struct Compared {
    /// Runs and the builds that show them: the live one, and the other.
    sides: [(Run, Generation); 2],
    cases: [Vec<Outline>; 2],
    found: Beside,
}

/// Compares a run with the live one, once it has decided everything.
pub(super) async fn of(call: &Call<'_>, run: Run) -> anyhow::Result<Compared> {
    let node = &call.host.node;
    call.host.start().await?;
    let live = node.runs().await?.live;
    let mut sides = Vec::new();
    let mut cases = Vec::new();
    for run in [live, run] {
        let build = through(call, run).await?;
        sides.push((run, build));
        cases.push(outlines(call, build).await?);
    }
    let missing = || BadInput("there is nothing to compare".to_owned());
    let sides: [_; 2] = sides.try_into().map_err(|_| missing())?;
    let cases: [_; 2] = cases.try_into().map_err(|_| missing())?;
    let found = beside(&cases[0], &cases[1]);
    Ok(Compared {
        sides,
        cases,
        found,
    })
}

async fn outlines(call: &Call<'_>, build: Generation) -> anyhow::Result<Vec<Outline>> {
    let source: &dyn IndexSource = call.host.node.store.as_ref();
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let cases = source.cases_after(build, after.as_ref(), PAGE).await?;
        let Some(last) = cases.last() else {
            return Ok(all);
        };
        after = Some((last.space.clone(), last.case));
        all.extend(cases.iter().filter_map(Outline::of));
    }
}

/// A comparison, for machines.
#[derive(Serialize)]
struct Report {
    live_run: Run,
    run: Run,
    /// Cases by how they stand, in the live run and in this one.
    standings: BTreeMap<&'static str, [usize; 2]>,
    same: usize,
    changed: usize,
    gone: usize,
    new: usize,
    /// How cases changed: how they stood, how they stand, how many.
    changes: Vec<(&'static str, &'static str, usize)>,
    confirmations: Confirmations,
    samples: BTreeMap<&'static str, Vec<Sample>>,
}

#[derive(Serialize)]
struct Confirmations {
    carried: usize,
    /// Confirmed cases of the live run, of which a confirmation would be lost.
    cases_that_lose: usize,
}

/// One case of a comparison.
#[derive(Serialize)]
struct Sample {
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Shown>,
}

/// A case, as a sample shows it.
#[derive(Serialize)]
struct Shown {
    case: CaseId,
    channel: String,
    standing: &'static str,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
}

impl Compared {
    /// Confirmed cases of the live run, of which a confirmation would be lost.
    pub(super) fn unconfirmed(&self) -> usize {
        self.found.unconfirmed.len()
    }

    /// Prints it, with so many samples of each kind.
    pub(super) async fn tell(&self, call: &Call<'_>, samples: usize) -> anyhow::Result<()> {
        let mut standings: BTreeMap<&'static str, [usize; 2]> = BTreeMap::new();
        for (side, cases) in self.cases.iter().enumerate() {
            for case in cases {
                standings.entry(case.standing).or_default()[side] += 1;
            }
        }
        let mut changes: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (n, m) in &self.found.changed {
            let stood = (self.cases[0][*n].standing, self.cases[1][*m].standing);
            *changes.entry(stood).or_default() += 1;
        }
        let report = Report {
            live_run: self.sides[0].0,
            run: self.sides[1].0,
            standings,
            same: self.found.same.len(),
            changed: self.found.changed.len(),
            gone: self.found.gone.len(),
            new: self.found.new.len(),
            changes: changes.into_iter().map(|((a, b), n)| (a, b, n)).collect(),
            confirmations: Confirmations {
                carried: self.found.carried,
                cases_that_lose: self.unconfirmed(),
            },
            samples: self.samples(call, samples).await?,
        };
        match call.json {
            true => call.out.json(&report)?,
            false => report.print(call),
        }
        Ok(())
    }

    async fn samples(
        &self,
        call: &Call<'_>,
        most: usize,
    ) -> anyhow::Result<BTreeMap<&'static str, Vec<Sample>>> {
        let found = &self.found;
        let before = |n: &usize| (Some(*n), None);
        let kinds = [
            ("gone", found.gone.iter().map(before).collect::<Vec<_>>()),
            ("new", found.new.iter().map(|m| (None, Some(*m))).collect()),
            (
                "changed",
                found
                    .changed
                    .iter()
                    .map(|(n, m)| (Some(*n), Some(*m)))
                    .collect(),
            ),
            (
                "unconfirmed",
                found.unconfirmed.iter().map(before).collect(),
            ),
        ];
        let mut samples = BTreeMap::new();
        for (kind, all) in kinds {
            let mut shown = Vec::new();
            for (n, m) in spread(&all, most) {
                shown.push(Sample {
                    before: self.shown(call, 0, n).await?,
                    after: self.shown(call, 1, m).await?,
                });
            }
            samples.insert(kind, shown);
        }
        Ok(samples)
    }

    async fn shown(
        &self,
        call: &Call<'_>,
        side: usize,
        place: Option<usize>,
    ) -> anyhow::Result<Option<Shown>> {
        let source: &dyn IndexSource = call.host.node.store.as_ref();
        let key: Option<&(SpaceId, CaseId)> = place.map(|place| &self.cases[side][place].key);
        let Some(key) = key else { return Ok(None) };
        let build = self.sides[side].1;
        let cases = source.cases_of(build, std::slice::from_ref(key)).await?;
        Ok(cases.first().map(Shown::of))
    }
}

/// At most so many of them, from the whole list.
fn spread<T: Copy>(all: &[T], most: usize) -> impl Iterator<Item = T> {
    let step = all.len().div_ceil(most.max(1)).max(1);
    all.iter().copied().step_by(step).take(most)
}

impl Shown {
    fn of(case: &Case) -> Self {
        let answer = case.solution.as_deref().or(case.suggestion.as_deref());
        Self {
            case: case.case,
            channel: case.channel.to_string(),
            standing: standing(case),
            title: cut(case.title.as_deref().unwrap_or_default(), WIDTH),
            answer: answer.map(|answer| cut(answer, WIDTH)),
        }
    }
}

impl Report {
    fn print(&self, call: &Call<'_>) {
        let out = call.out;
        let (live, run) = (self.live_run, self.run);
        out.print(format_args!(
            "cases of run {run} beside the live run {live}:"
        ));
        out.print(format_args!("  {:12} {:>8} {:>8}", "", "live", "new run"));
        for (standing, [ours, theirs]) in &self.standings {
            out.print(format_args!("  {standing:12} {ours:>8} {theirs:>8}"));
        }
        out.print(format_args!(
            "case by case: {} the same, {} changed, {} gone, {} new",
            self.same, self.changed, self.gone, self.new
        ));
        for (before, after, cases) in &self.changes {
            match before == after {
                true => out.print(format_args!("  {cases:>6} {before}, with other words")),
                false => out.print(format_args!("  {cases:>6} {before}, now {after}")),
            }
        }
        let Confirmations {
            carried,
            cases_that_lose,
        } = self.confirmations;
        out.print(format_args!(
            "confirmations by people: {carried} carried over; {cases_that_lose} cases would lose one"
        ));
        for (kind, samples) in self.samples.iter().filter(|(_, all)| !all.is_empty()) {
            out.print(format_args!("{kind}, for example:"));
            for sample in samples {
                sample.print(call);
            }
        }
    }
}

impl Sample {
    fn print(&self, call: &Call<'_>) {
        for (mark, shown) in [("-", &self.before), ("+", &self.after)] {
            let Some(shown) = shown else { continue };
            call.out.print(format_args!(
                "  {mark} {} in {}: {}",
                shown.standing, shown.channel, shown.title
            ));
            if let Some(answer) = &shown.answer {
                call.out.print(format_args!("      {answer}"));
            }
        }
    }
}
