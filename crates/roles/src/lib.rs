//! The roles that decide: pure rules, one module a role. Nothing here performs I/O, reads a
//! clock or draws randomness.
//!
//! | module | decides |
//! |---|---|
//! | [`intake`] | which platform events are taken, and under which id |
//! | [`buffer`] | when a channel's window is worth looking at, and when a person's turn ends |
//! | [`extractor`] | which cases there are, and who confirmed them |
//! | [`responder`] | which turns are answered, and with what |
//! | [`learner`] | what answers were worth |
//! | [`promoter`] | what is remembered of what the system was told, and of what worked |
//! | [`gateway`] | which answers are sent and withdrawn, and when sending is given up |
//! | [`embedder`] | which texts a model is asked for the vectors of |
//! | `promotion` | which cases expire, and how long exchanges are kept |
//! | [`redrive`] | what is tried again of what was dead-lettered |
//!
//! [`ROLES`] lists the roles.
//!
//! A module of a role has its settings (`params`), what it knows of one key (`state`), how
//! inputs and own decisions change that (`fold`), its rules (`decide`), and its
//! [`Processor`], by which the loop runs it.

pub mod buffer;
pub mod embedder;
pub mod extractor;
pub mod gateway;
pub mod intake;
pub mod learner;
mod line;
mod parts;
mod processing;
mod processor;
pub mod promoter;
mod promotion;
mod queue;
pub mod redrive;
mod registry;
pub mod responder;
mod state;

#[cfg(test)]
mod folding_tests;
#[cfg(test)]
mod testing;

pub use buffer::{Buffer, BufferParams, BufferState};
pub use embedder::{EmbedAnswer, EmbedCall, Embedder, EmbedderParams, EmbedderState, WantedText};
pub use extractor::{
    ChannelChange, ExtractAnswer, ExtractCall, Extractor, ExtractorParams, ExtractorPart,
    ExtractorState, QueuedRecord, RecordQueue, WindowLine,
};
pub use gateway::{
    Gateway, GatewayParams, GatewayState, SentAnswer, Task as GatewayTask, WaitingDelivery,
};
pub use intake::{Intake, IntakeParams, IntakeState};
pub use learner::{KnownAnswer, Learner, LearnerState, Worth};
pub use parts::Parts;
pub use processing::{Decided, Decision, Facts, Flow, Input, NoCall, Refusal, WakeAt};
pub use processor::Processor;
pub use promoter::{KnownExchange, KnownMemory, Promoter, PromoterPart, PromoterState, Standing};
pub use promotion::{ExchangeScore, Place};
pub use queue::Queue;
pub use registry::{ROLES, RoleSpec};
pub use responder::{
    ForgetCall, GivenAnswer, Instruction, NoteCall, RecallCall, RemarkCall, Responder,
    ResponderCall, ResponderParams, ResponderPart, ResponderState, RoomLine, STEER_COMPOSER,
    SteerCall, TakeBackCall, UnsayCall, WaitingTurn, home_of, without_names,
};
pub use state::KeyState;
