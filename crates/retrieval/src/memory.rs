//! The one way from a question to what is said: for `threadlore ask`, and for rooms.

use std::collections::BTreeSet;
use std::sync::Arc;

use threadlore_language::wording::{Language, Phrase, Voice, Wordings};
use threadlore_model::{
    Answer, CaseId, ChannelId, CitedCase, GateTag, MemoryId, Mode, NearCase, Part, PersonId,
    Recalled, TurnOutcome,
};
use threadlore_ports::{CaseReader, Clock, EvidenceLine, Fact, PortError, Readable, Scope};

use crate::ask::{Citation, Near, Reply, Silence, answer, nearest};
use crate::facts::{FACT_COMPOSER, Fit, Note, best, day_of, in_words};
use crate::precedents::repeated;
use crate::{Degraded, Inquiry, Remark, RemarkRecord, Retrieval, RetrievalRecord, Retrieved};

/// Candidate cases per layer.
pub const PER_LAYER: usize = 6;
/// What composes answers, with its version; it grows with each change of the words.
pub const COMPOSER: &str = "builtin-2";

/// Answers questions from the cases of a space.
pub struct Memory {
    /// Finds cases.
    pub retrieval: Arc<Retrieval>,
    /// Reads their evidence.
    pub cases: Arc<dyn CaseReader>,
    /// Before the id of a case, its link.
    pub link_base: String,
    /// What it says beside the words of the cases.
    pub wordings: Arc<Wordings>,
    /// Says how long a search took.
    pub clock: Arc<dyn Clock>,
}

/// The platform of channels on the operator's own terminal.
pub const CONSOLE: &str = "console";

/// The channel where a question is asked.
#[derive(Debug, Clone, Copy)]
pub struct AskedIn<'a> {
    /// The channel.
    pub channel: &'a ChannelId,
    /// Who asks: only they are told what is about them.
    pub person: Option<PersonId>,
    /// Whether the bot was asked by name.
    pub is_named: bool,
    /// In which language it answers.
    pub language: Language,
    /// What the rules say that it is, where a model is to say it.
    pub gate: Option<GateTag>,
    /// The case whose answer they had to the same question a short time before.
    pub had: Option<CaseId>,
    /// Lines that were said before it, the oldest first.
    pub earlier: &'a [String],
    /// Where a model is to say whether it tells something of an answer.
    pub remark: Option<Remark<'a>>,
}

/// What memory says to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// [`TurnOutcome::Answered`], [`TurnOutcome::Suggested`] or [`TurnOutcome::Tracked`]; else the
    /// reason for silence.
    pub outcome: TurnOutcome,
    /// The text; for silence the reason, in one sentence.
    pub text: String,
    /// Where it is from, in words, with the link of the first source; empty without one.
    pub from: String,
    /// The sources, best first; empty for silence, and for what the system was told.
    pub sources: Vec<Source>,
    /// What the system was told, where that is the answer. Where a tool answered, the record names it.
    pub told: Option<Fact>,
    /// For silence, the cases that are nearest to the question. None of them answers it.
    pub nearest: Vec<Near>,
    /// How the candidates were found.
    pub record: RetrievalRecord,
    /// How long the search took, and the reading, in seconds.
    pub seconds: f64,
}

/// A case behind an answer, with its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The case, and the messages that the answer rests on.
    pub citation: Citation,
    /// The link of the case.
    pub link: String,
    /// Those messages, in the order of the case.
    pub evidence: Vec<EvidenceLine>,
}

impl Memory {
    /// The link of a case.
    #[must_use]
    pub fn link(&self, case: CaseId) -> String {
        format!("{}{case}", self.link_base)
    }

    /// Answers a question. In a channel it uses the cases of all channels that everybody there can
    /// read, on the operator's own terminal (platform [`CONSOLE`]) and without a channel all of the
    /// space. In a channel without an active admin, or one that wants no answers, it is silent; so it is
    /// where a model says that the message tells what an earlier answer was worth.
    ///
    /// # Errors
    /// `Unavailable` where the tables do not say how channels are configured, or what the evidence
    /// is.
    pub async fn answer(
        &self,
        scope: &Scope,
        text: &str,
        asked_in: Option<AskedIn<'_>>,
    ) -> Result<Said, PortError> {
        let Some(remark) = asked_in.and_then(|place| place.remark) else {
            return self.looked_up(scope, text, asked_in).await;
        };
        let judged = self.retrieval.judged(scope.space(), remark).await;
        let rating = judged
            .as_ref()
            .and_then(|said| said.as_ref().ok()?.rating());
        let mut said = match rating {
            Some(_) => Said::silent(TurnOutcome::Rated),
            None if remark.asks => self.looked_up(scope, text, asked_in).await?,
            None => Said::silent(TurnOutcome::Statement),
        };
        match judged {
            Some(Ok(record)) => said.record.remark = Some(record),
            Some(Err(degraded)) => said.record.degraded.push(degraded),
            None => {}
        }
        Ok(said)
    }

    async fn looked_up(
        &self,
        scope: &Scope,
        text: &str,
        asked_in: Option<AskedIn<'_>>,
    ) -> Result<Said, PortError> {
        let readable = match asked_in {
            None => Readable::all(),
            Some(AskedIn {
                channel, is_named, ..
            }) => {
                let configured = self.cases.configured(scope).await?;
                let own = configured.get(channel);
                match own.filter(|own| !own.admins.is_empty()).map(|own| own.mode) {
                    None => return Ok(Said::silent(TurnOutcome::NotConfigured)),
                    Some(Mode::Off) => return Ok(Said::silent(TurnOutcome::Muted)),
                    Some(Mode::Mentions) if !is_named => {
                        return Ok(Said::silent(TurnOutcome::Muted));
                    }
                    Some(Mode::Mentions | Mode::Questions) => {}
                }
                match channel.platform() {
                    CONSOLE => Readable::all(),
                    _ => Readable::in_channel(channel, &configured),
                }
            }
        };
        let earlier = asked_in.map_or([].as_slice(), |place| place.earlier);
        let space = scope.space();
        let gate = match asked_in.and_then(|place| place.gate) {
            Some(by_rules) => Some((by_rules, self.retrieval.gated(space, text, earlier).await)),
            None => None,
        };
        let tag = gate
            .as_ref()
            .map(|(by_rules, said)| said.as_ref().map_or(*by_rules, |one| one.tag));
        let (gate, ungated) = match gate {
            Some((_, Ok(gate))) => (Some(gate), None),
            Some((_, Err(degraded))) => (None, Some(degraded)),
            None => (None, None),
        };
        if let Some(outcome) = tag.and_then(GateTag::silence) {
            let mut said = Said::silent(outcome);
            said.record.gate = gate;
            said.record.degraded.extend(ungated);
            return Ok(said);
        }
        let rewritten = self.retrieval.rewritten(space, text, earlier).await;
        let (rewritten, failed) = match rewritten {
            Some(Ok(rewritten)) => (Some(rewritten), None),
            Some(Err(degraded)) => (None, Some(degraded)),
            None => (None, None),
        };
        let asked = Inquiry {
            scope,
            readable: &readable,
            text: rewritten.as_ref().map_or(text, |one| one.question.as_str()),
            had: asked_in.and_then(|place| place.had),
        };
        let language = asked_in.map_or_else(|| Language::of([text]), |place| place.language);
        let voice = self.wordings.voice(Some(scope.space()), language);
        let started = self.clock.now();
        let person = asked_in.and_then(|place| place.person);
        let notes = self.retrieval.notes(scope, &readable, person).await;
        let (mut found, reply) = reply_to(&self.retrieval, asked, &notes).await;
        found
            .record
            .degraded
            .extend(failed.into_iter().chain(ungated));
        found.record.gate = gate;
        let told = told(&notes, asked.text, asked_in, (&found, &reply));
        found.record.rewritten = rewritten;
        let seconds = self.clock.now().since(started).as_secs_f64();
        if let Some(fact) = told {
            return Ok(Said {
                outcome: TurnOutcome::Answered,
                text: in_words(&fact, voice),
                from: String::new(),
                sources: Vec::new(),
                told: Some(fact),
                nearest: Vec::new(),
                record: found.record,
                seconds,
            });
        }
        let nearest = nearest(&reply, &found.candidates);
        found.record.repeats = asked_in.and_then(|place| repeats(&found, &reply, place.channel));
        let mut from = None;
        let (outcome, text, citations) = match reply {
            Reply::Answered { text, citations } => (TurnOutcome::Answered, text, citations),
            Reply::Suggested {
                text,
                citation,
                instead,
            } => {
                let failed = citation.failed;
                let doubtful = || {
                    let failed = failed.to_string();
                    let (failed, text) = (failed.as_str(), text.as_str());
                    voice.say(Phrase::Doubtful { failed, text })
                };
                let text = match (failed, instead) {
                    (0, _) => text,
                    (_, None) => doubtful(),
                    (_, Some(other)) => {
                        let link = self.link(other);
                        let instead = voice.say(Phrase::Instead { link: &link });
                        format!("{}\n\n{instead}", doubtful())
                    }
                };
                (TurnOutcome::Suggested, text, vec![citation])
            }
            Reply::Tracked { citation } => (
                TurnOutcome::Tracked,
                voice.say(Phrase::Tracked {}),
                vec![citation],
            ),
            Reply::LookedUp { text, tool, host } => {
                let source = format!("{tool} ({host})");
                from = Some(voice.say(Phrase::LookedUp { source: &source }));
                (TurnOutcome::Answered, text, Vec::new())
            }
            Reply::Silent(silence) => {
                let outcome = silence.outcome();
                (outcome, outcome.sentence().to_owned(), Vec::new())
            }
        };
        let mut sources = Vec::new();
        for citation in citations {
            sources.push(self.source(scope, citation).await?);
        }
        if let Some(Source { link, .. }) = sources.first() {
            from = Some(voice.say(Phrase::From { link }));
        }
        Ok(Said {
            text: with_day(outcome, text, &sources, voice),
            outcome,
            from: from.unwrap_or_default(),
            sources,
            told: None,
            nearest,
            record: found.record,
            seconds,
        })
    }

    async fn source(&self, scope: &Scope, citation: Citation) -> Result<Source, PortError> {
        let lines = self.cases.evidence(scope, citation.case).await?.into_iter();
        let evidence = lines.filter(|line| citation.evidence.contains(&line.message));
        Ok(Source {
            link: self.link(citation.case),
            evidence: evidence.collect(),
            citation,
        })
    }
}

/// What the system was told, where that answers: before a case if it has the whole question, unless a
/// model that knew it chose the case; and where no case is sure if the bot was asked by name.
fn told(
    notes: &[Arc<Note>],
    question: &str,
    asked_in: Option<AskedIn<'_>>,
    (found, reply): (&Retrieved, &Reply),
) -> Option<Fact> {
    if found.record.degraded.contains(&Degraded::Tables) {
        return None;
    }
    let is_named = asked_in.is_none_or(|place| place.is_named);
    let is_sure = matches!(reply, Reply::Answered { .. } | Reply::LookedUp { .. });
    let read = found.record.read.as_ref();
    let is_chosen = is_sure && read.is_some_and(|read| read.case.is_some() || read.tool.is_some());
    let best = best(notes, question);
    let best = best.filter(|(_, fit)| match fit {
        Fit::All => !is_chosen,
        Fit::One | Fit::Most => is_named && !is_sure,
    });
    best.map(|(fact, _)| fact.clone())
}

/// The exchange that a reply repeats in a channel.
fn repeats(found: &Retrieved, reply: &Reply, channel: &ChannelId) -> Option<MemoryId> {
    let citation = match reply {
        Reply::Answered { citations, .. } => citations.first()?,
        Reply::Suggested { citation, .. } => citation,
        Reply::Tracked { .. } | Reply::LookedUp { .. } | Reply::Silent(_) => return None,
    };
    let mut cases = found.candidates.iter().map(|one| &one.case);
    let case = cases.find(|case| case.case == citation.case)?;
    repeated(&found.alike, (case.case, case.worded_in), channel)
}

/// Says of a suggestion when it was made, and that it is one.
fn with_day(outcome: TurnOutcome, text: String, sources: &[Source], voice: Voice<'_>) -> String {
    let failed = sources.iter().any(|source| source.citation.failed > 0);
    if outcome != TurnOutcome::Suggested || failed {
        return text;
    }
    let mut evidence = sources.iter().flat_map(|source| &source.evidence);
    let text = text.as_str();
    match evidence.next().map(|line| day_of(line.sent_at)) {
        Some(day) => voice.say(Phrase::SuggestedOn { day: &day, text }),
        None => voice.say(Phrase::Suggested { text }),
    }
}

impl Said {
    fn silent(outcome: TurnOutcome) -> Self {
        Self {
            outcome,
            text: outcome.sentence().to_owned(),
            from: String::new(),
            sources: Vec::new(),
            told: None,
            nearest: Vec::new(),
            record: RetrievalRecord::default(),
            seconds: 0.0,
        }
    }

    /// The result of the search in metrics: `ok`, or `degraded` where a stage did not answer.
    #[must_use]
    pub fn result(&self) -> &'static str {
        match self.record.degraded.is_empty() {
            true => "ok",
            false => "degraded",
        }
    }

    /// What an effect returns: the words as they are posted in a room, with the link of the case.
    #[must_use]
    pub fn recalled(self, record: String, link_of: impl Fn(CaseId) -> String) -> Recalled {
        let nearest = self.nearest.into_iter().map(|near| NearCase {
            link: link_of(near.case),
            case: near.case,
            title: near.title,
            close: near.close,
        });
        let (read, rewritten) = (self.record.read.as_ref(), self.record.rewritten.as_ref());
        let (gate, remark) = (self.record.gate.as_ref(), self.record.remark.as_ref());
        let model_tokens = read.map_or(0, |read| read.prompt_tokens + read.answer_tokens)
            + rewritten.map_or(0, |one| one.prompt_tokens + one.answer_tokens)
            + gate.map_or(0, |one| one.prompt_tokens + one.answer_tokens)
            + remark.map_or(0, |one| one.prompt_tokens + one.answer_tokens);
        let tag = gate.map(|gate| gate.tag);
        let rating = remark.and_then(RemarkRecord::rating);
        let cited = self.sources.into_iter().map(|source| {
            // Who asked first may well say whether it helps him again.
            let words = source.evidence.iter();
            let words = words.filter(|line| line.part != Part::Problem);
            let authors = words.map(|line| line.person);
            let authors: BTreeSet<PersonId> = authors.collect();
            CitedCase {
                case: source.citation.case,
                close: source.citation.close,
                version: source.citation.version,
                evidence: source.citation.evidence,
                authors: authors.into_iter().collect(),
            }
        });
        let cited: Vec<CitedCase> = cited.collect();
        let read = self.record.read.as_ref();
        let is_looked_up = read.is_some_and(|read| read.tool.is_some());
        let read = read.filter(|read| read.composed);
        let composer = read.map_or(COMPOSER, |read| read.by.as_str());
        let answer = match (cited.is_empty() && !is_looked_up, self.told) {
            (false, None) => Some(Answer {
                text: format!("{}\n\n{}", self.text, self.from),
                cited,
                memory: None,
                precedent: self.record.repeats,
                composer: composer.to_owned(),
            }),
            (_, Some(fact)) => Some(Answer {
                text: self.text,
                cited,
                memory: Some(fact.memory),
                precedent: None,
                composer: FACT_COMPOSER.to_owned(),
            }),
            (true, None) => None,
        };
        Recalled {
            outcome: self.outcome,
            answer,
            nearest: nearest.collect(),
            docs: Vec::new(),
            tag,
            rating,
            record,
            model_tokens: i64::try_from(model_tokens).unwrap_or(i64::MAX),
        }
    }
}

/// Searches, and chooses the reply. A model that reads knows these facts too.
pub async fn reply_to(
    retrieval: &Retrieval,
    asked: Inquiry<'_>,
    notes: &[Arc<Note>],
) -> (Retrieved, Reply) {
    let mut found = retrieval.search(asked, PER_LAYER).await;
    if found.record.degraded.contains(&Degraded::Tables) {
        return (found, Reply::Silent(Silence::NothingAnswers));
    }
    let by_rules = answer(&found.candidates, asked.text);
    let reply = match (retrieval.read(asked, notes, &mut found).await, by_rules) {
        // A case without an answer was not read.
        (None | Some(Reply::Silent(_)), tracked @ Reply::Tracked { .. }) => tracked,
        (Some(read), _) => read,
        (None, by_rules) => by_rules,
    };
    (found, reply)
}
