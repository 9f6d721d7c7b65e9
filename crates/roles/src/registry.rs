//! The one list of roles that decide. What has to know them all (lag, restore, the choice of
//! roles on the command line, the simulation) reads it here.

use threadlore_model::{Role, Topic};

use crate::{
    Buffer, Embedder, Extractor, Gateway, Intake, Learner, Processor, Promoter, Responder,
};

/// What a role reads and publishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoleSpec {
    /// The role.
    pub role: Role,
    /// [`Processor::INPUTS`].
    pub inputs: &'static [Topic],
    /// [`Processor::OUTPUTS`].
    pub outputs: &'static [Topic],
    /// [`Processor::OPTIONAL`].
    pub optional: bool,
    /// [`Processor::AWAITED`].
    pub awaited: bool,
}

impl RoleSpec {
    const fn of<P: Processor>() -> Self {
        Self {
            role: P::ROLE,
            inputs: P::INPUTS,
            outputs: P::OUTPUTS,
            optional: P::OPTIONAL,
            awaited: P::AWAITED,
        }
    }
}

/// Every role that decides, in the order in which a message passes them. A new role is an entry.
pub const ROLES: [RoleSpec; 8] = [
    RoleSpec::of::<Intake>(),
    RoleSpec::of::<Buffer>(),
    RoleSpec::of::<Extractor>(),
    RoleSpec::of::<Responder>(),
    RoleSpec::of::<Gateway>(),
    RoleSpec::of::<Learner>(),
    RoleSpec::of::<Promoter>(),
    RoleSpec::of::<Embedder>(),
];
