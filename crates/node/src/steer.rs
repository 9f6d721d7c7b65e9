//! Instructions in a room, carried out where their writer may give them: anybody may be forgotten, and
//! an admin may do the rest.

use threadlore_language::wording::{Phrase, Voice};
use threadlore_model::{
    Actor, Answer, Case, ChannelSettings, Mode, Recalled, SpaceId, Status, TurnOutcome,
    WithdrawalReason, WithdrawalRequested,
};
use threadlore_ports::{CaseReader as _, PortError, Right, Scope};
use threadlore_retrieval::CONSOLE;
use threadlore_roles::{Instruction, STEER_COMPOSER, SteerCall, TakeBackCall};
use threadlore_store_postgres::{TurnFilter, TurnName};

use crate::channels::configure;
use crate::node::check_not_restoring;
use crate::outside::Outside;
use crate::requests::{CaseChange, asked};
use crate::teach::Lesson;

/// How long an answer can be taken back: as long as a gateway remembers it.
pub(crate) const DAY: std::time::Duration = std::time::Duration::from_secs(24 * 60 * 60);

impl Outside {
    /// Carries an instruction out, and says what came of it. Where it is not configured to speak it
    /// does what is asked and says nothing, and refuses nothing.
    pub(crate) async fn steer(
        &self,
        space: &SpaceId,
        call: &SteerCall,
    ) -> Result<Recalled, PortError> {
        let scope = self.scope(space, Right::Admin)?;
        let mut configured = self.store.configured(&scope).await?;
        let own = configured.remove(&call.channel);
        let own = own.filter(|own| !own.admins.is_empty());
        let may_speak = own.as_ref().is_some_and(|own| own.mode != Mode::Off);
        let is_admin = own
            .as_ref()
            .is_some_and(|own| own.admins.contains(&call.person));
        let voice = self.voice(space, call);
        let done = match (&call.instruction, own) {
            (Instruction::ForgetMe, _) => {
                let forgotten = voice.say(Phrase::ForgottenYou {});
                return Ok(said(Ok(forgotten), may_speak));
            }
            (Instruction::Help, _) => {
                return Ok(said(Ok(voice.say(Phrase::Help {})), may_speak));
            }
            (_, None) => return Ok(silent(TurnOutcome::NotConfigured)),
            (Instruction::Remember(text), Some(_)) => {
                self.remember_said(&scope, (call, text), is_admin).await?
            }
            (Instruction::Tell(home), Some(_)) => Ok(self.tell(&scope, call, *home).await?),
            (Instruction::ForgetFact(text), Some(_)) => {
                let of = (call, Some(text.as_str()));
                self.forget_fact(&scope, of, is_admin).await?
            }
            (Instruction::ForgetCase, Some(_)) if call.memory.is_some() => {
                self.forget_fact(&scope, (call, None), is_admin).await?
            }
            (_, Some(_)) if !is_admin => Err(voice.say(Phrase::NotAdmin {})),
            (Instruction::Speak(mode), Some(own)) => {
                let next = ChannelSettings { mode: *mode, ..own };
                self.set(space, call, next).await?;
                return Ok(said(Ok(voice.say(speaks(*mode))), true));
            }
            (Instruction::Docs(docs), Some(own)) => {
                let docs = docs.clone();
                let text = match docs.is_empty() {
                    true => voice.say(Phrase::NoDocs {}),
                    false => {
                        let links = docs.join(" ");
                        voice.say(Phrase::Docs { links: &links })
                    }
                };
                self.set(space, call, ChannelSettings { docs, ..own })
                    .await?;
                Ok(text)
            }
            (Instruction::Answer(solution), Some(_)) => {
                match self.lesson(&scope, call, solution).await? {
                    None => Err(voice.say(Phrase::WhichQuestion {})),
                    Some((lesson, learned)) => {
                        check_not_restoring(&self.store).await?;
                        let by = Actor::Person(call.person);
                        let case = self.teach(&scope, &lesson, &by).await?;
                        case.map_or(Err(voice.say(Phrase::Gone {})), |_| Ok(learned))
                    }
                }
            }
            (Instruction::Correct(_) | Instruction::ForgetCase, Some(_)) => {
                let case = match call.case {
                    None => None,
                    Some(case) => self.store.case(&scope, case).await?,
                };
                let home = case.as_ref().map(|case| &case.channel);
                let is_home_admin = home.is_some_and(|home| {
                    let of_home = configured.get(home);
                    *home == call.channel
                        || call.channel.platform() == CONSOLE
                        || of_home.is_some_and(|of| of.admins.contains(&call.person))
                });
                match case {
                    None => Err(voice.say(Phrase::WhichAnswer {})),
                    Some(case) if case.status() == Status::Erased => {
                        Err(voice.say(Phrase::Gone {}))
                    }
                    Some(_) if !is_home_admin => Err(voice.say(Phrase::Elsewhere {})),
                    Some(case) => Ok(self.change(space, &case, call).await?),
                }
            }
        };
        Ok(said(done, may_speak))
    }

    /// What is said to whoever gave an instruction.
    pub(crate) fn voice(&self, space: &SpaceId, call: &SteerCall) -> Voice<'_> {
        self.memory.wordings.voice(Some(space), call.language)
    }

    /// The question that an answer is given to, and what is said of it: the one that is replied to, or
    /// the last one of the channel within a day that had none. That one is named by its time: its words
    /// are sealed under another key than those that are said.
    async fn lesson(
        &self,
        scope: &Scope,
        call: &SteerCall,
        solution: &str,
    ) -> Result<Option<(Lesson, String)>, PortError> {
        let named = call.reply_to.map(|message| TurnName::Id(message.as_uuid()));
        let filter = TurnFilter {
            channel: Some(&call.channel),
            after: None,
            outcomes: match named {
                Some(_) => &TurnOutcome::ALL,
                None => &TurnOutcome::UNANSWERED,
            },
            named: named.as_ref(),
            limit: 1,
        };
        let (turns, _) = self.store.turns(scope, filter).await?;
        let voice = self.voice(scope.space(), call);
        let because = call.because.to_string();
        let (solution, says) = (solution.to_owned(), Some(call.message));
        let turn = turns
            .first()
            .filter(|turn| call.reply_to.is_some() || turn.at.plus(DAY) >= self.clock.now());
        Ok(match (turn, call.reply_to) {
            (Some(turn), reply_to) => {
                let learned = match (reply_to, turn.at.to_string().get(11..16)) {
                    (None, Some(minute)) => voice.say(Phrase::LearnedOf { minute }),
                    _ => voice.say(Phrase::Learned {}),
                };
                Some((Lesson::of_turn(turn, solution, says, because), learned))
            }
            // Said before the bot came, or too long ago.
            (None, Some(message)) => {
                let lesson = Lesson {
                    channel: call.channel.clone(),
                    messages: vec![message],
                    context: Vec::new(),
                    solution,
                    says,
                    because,
                };
                Some((lesson, voice.say(Phrase::Learned {})))
            }
            (None, None) => None,
        })
    }

    async fn set(
        &self,
        space: &SpaceId,
        call: &SteerCall,
        settings: ChannelSettings,
    ) -> Result<(), PortError> {
        check_not_restoring(&self.store).await?;
        let of = (space, &call.channel);
        let by = Actor::Person(call.person);
        let (log, now) = (self.log.as_ref(), self.clock.now());
        configure(log, of, settings, (now, Some(&by))).await
    }

    /// Asks the owner of the case, and says what will follow.
    async fn change(
        &self,
        space: &SpaceId,
        case: &Case,
        call: &SteerCall,
    ) -> Result<String, PortError> {
        check_not_restoring(&self.store).await?;
        let (change, phrase) = match &call.instruction {
            Instruction::Correct(solution) => {
                let says = (case.channel == call.channel).then_some(call.message);
                let change = CaseChange::Solution(solution.clone(), says);
                (change, Phrase::Corrected {})
            }
            _ => (CaseChange::Erasure, Phrase::ForgottenCase {}),
        };
        let now = self.clock.now();
        let request = (asked(case, change, now), call.because.to_string());
        let by = Actor::Person(call.person);
        self.request(space, vec![request], (now, Some(&by))).await?;
        Ok(self.voice(space, call).say(phrase))
    }

    /// Asks other channels to take back what was said there with the words of a case.
    pub(crate) async fn take_back(
        &self,
        space: &SpaceId,
        call: &TakeBackCall,
    ) -> Result<(), PortError> {
        let scope = self.scope(space, Right::Admin)?;
        let now = self.clock.now();
        let of = (call.case, &call.channel);
        let since = (now.minus(DAY), call.reason != WithdrawalReason::CaseErased);
        let answers = self.store.answers_with(&scope, of, since).await?;
        let requests = answers.into_iter().map(|(channel, answer)| {
            let request = WithdrawalRequested {
                channel,
                answer,
                reason: call.reason,
                now,
            };
            (request.into(), answer.to_string())
        });
        self.request(space, requests.collect(), (now, None)).await
    }
}

const fn speaks(mode: Mode) -> Phrase<'static> {
    match mode {
        Mode::Questions => Phrase::ModeQuestions {},
        Mode::Mentions => Phrase::ModeMentions {},
        Mode::Off => Phrase::ModeOff {},
    }
}

/// What was done, or why not; nothing is said where nothing may be.
fn said(done: Result<String, String>, may_speak: bool) -> Recalled {
    let (outcome, text) = match done {
        Ok(text) => (TurnOutcome::Steered, text),
        Err(text) => (TurnOutcome::Refused, text),
    };
    if !may_speak {
        // Only a refusal is no outcome of a silent channel.
        let outcome = match outcome {
            TurnOutcome::Refused => TurnOutcome::Muted,
            done => done,
        };
        return silent(outcome);
    }
    Recalled {
        answer: Some(Answer {
            precedent: None,
            text,
            cited: Vec::new(),
            memory: None,
            composer: STEER_COMPOSER.to_owned(),
        }),
        ..silent(outcome)
    }
}

fn silent(outcome: TurnOutcome) -> Recalled {
    Recalled {
        outcome,
        answer: None,
        nearest: Vec::new(),
        docs: Vec::new(),
        tag: None,
        rating: None,
        record: String::new(),
        model_tokens: 0,
    }
}
