//! `answers`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use threadlore_model::{ChannelId, Rating, SpaceId, TurnOutcome};

use crate::commands::TurnLink;

/// What to do with answers.
#[derive(Debug, Subcommand)]
pub(crate) enum Answers {
    /// List what people asked and what became of it, the latest first.
    List(AnswersList),
    /// Say why a question was answered so, or not at all: every step, number and source.
    Why(OneTurn),
    /// Give a question the answer that memory had not: whoever asks that from then on gets it.
    Teach(AnswersTeach),
    /// Say whether an answer helped. Of each person the last word counts; that of who asked counts more.
    Rate(AnswersRate),
}

/// Options of `answers rate`.
#[derive(Debug, Args)]
pub(crate) struct AnswersRate {
    #[command(flatten)]
    pub(crate) one: OneTurn,
    /// `helped`, `failed` (wrong, or no help), or `none` to take it back.
    #[arg(long, value_name = "RATING", value_parser = ratings())]
    pub(crate) rating: OwnRating,
}

/// What the operator says of an answer; `None` for nothing any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OwnRating(pub(crate) Option<Rating>);

/// Options of `answers teach`.
#[derive(Debug, Args)]
pub(crate) struct AnswersTeach {
    #[command(flatten)]
    pub(crate) one: OneTurn,
    /// The answer, in the words in which it is to be given.
    #[arg(long, value_name = "TEXT")]
    pub(crate) solution: String,
}

/// Options of `answers list`.
#[derive(Debug, Args)]
pub(crate) struct AnswersList {
    /// The space; without it `default`, or the only one that there is.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
    /// Only questions of this channel.
    #[arg(long, value_name = "PLATFORM:NAME")]
    pub(crate) channel: Option<ChannelId>,
    /// Only those with this outcome (docs/outcomes.md); may be given several times.
    #[arg(long, value_name = "OUTCOME", value_parser = outcomes())]
    pub(crate) outcome: Vec<TurnOutcome>,
    /// Only those that memory had no answer to.
    #[arg(long, conflicts_with = "outcome")]
    pub(crate) unanswered: bool,
    /// How many to list.
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
}

/// Options of `answers why`.
#[derive(Debug, Args)]
pub(crate) struct OneTurn {
    /// The question or its answer: an id that `answers list` prints, the platform's id of a message
    /// of either, or a link that ends with one of these.
    #[arg(value_name = "LINK_OR_ID")]
    pub(crate) turn: TurnLink,
    /// The space; without it `default`, or the only one that there is.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
}

fn outcomes() -> impl TypedValueParser<Value = TurnOutcome> {
    const ALL: [TurnOutcome; 21] = TurnOutcome::ALL;
    let named = |name: String| ALL.into_iter().find(|outcome| outcome.name() == name);
    PossibleValuesParser::new(ALL.map(TurnOutcome::name))
        .try_map(move |name| named(name).ok_or("there is no such outcome"))
}

fn ratings() -> impl TypedValueParser<Value = OwnRating> {
    let named = |name: String| Rating::ALL.into_iter().find(|rating| rating.name() == name);
    let names = Rating::ALL.map(Rating::name).into_iter().chain(["none"]);
    PossibleValuesParser::new(names).map(move |name| OwnRating(named(name)))
}
