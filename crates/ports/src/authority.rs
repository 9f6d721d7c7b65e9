//! Authorisation: the only maker of [`Scope`]s.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use threadlore_model::SpaceId;

/// What a bearer may do in a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Right {
    /// Send platform events.
    Ingest,
    /// Ask questions.
    Ask,
    /// Read cases and messages.
    Read,
    /// Change settings.
    Admin,
}

impl Right {
    /// Every right.
    pub const ALL: [Self; 4] = [Self::Ingest, Self::Ask, Self::Read, Self::Admin];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::Ask => "ask",
            Self::Read => "read",
            Self::Admin => "admin",
        }
    }
}

impl FromStr for Right {
    type Err = String;

    /// The right of a [name](Right::name).
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|right| right.name() == name);
        found.ok_or_else(|| format!("{name:?} is no right"))
    }
}

/// Proof that a caller may do something in one space. Every read takes one. It
/// has no public constructor: only [`Authority`] makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    space: SpaceId,
    right: Right,
}

impl Scope {
    /// The space that may be seen; nothing else may.
    #[must_use]
    pub fn space(&self) -> &SpaceId {
        &self.space
    }

    /// What was granted.
    #[must_use]
    pub fn right(&self) -> Right {
        self.right
    }
}

/// Why a scope was not granted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not allowed to {right:?} in space {space}")]
pub struct Denied {
    space: SpaceId,
    right: Right,
}

/// Decides who may do what.
#[derive(Debug, Clone)]
pub struct Authority {
    grants: Vec<(SpaceId, Right)>,
    all: bool,
}

impl Authority {
    /// The operator of a data directory: the holder of its lock owns what is in
    /// it, so every right in every space is granted.
    #[must_use]
    pub fn of_operator() -> Self {
        Self {
            grants: Vec::new(),
            all: true,
        }
    }

    /// A bearer with these rights and no others.
    #[must_use]
    pub fn of_grants(grants: Vec<(SpaceId, Right)>) -> Self {
        Self { grants, all: false }
    }

    /// The rights that were granted one by one; none to who has every right.
    #[must_use]
    pub fn grants(&self) -> &[(SpaceId, Right)] {
        &self.grants
    }

    /// The scope for a right in a space.
    ///
    /// # Errors
    /// [`Denied`] when it was not granted.
    pub fn authorise(&self, space: &SpaceId, right: Right) -> Result<Scope, Denied> {
        let granted = self.all || self.grants.iter().any(|(s, r)| s == space && *r == right);
        if granted {
            Ok(Scope {
                space: space.clone(),
                right,
            })
        } else {
            Err(Denied {
                space: space.clone(),
                right,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_holds_for_its_space_and_right_only() {
        let (a, b) = (
            SpaceId::parse("a").expect("valid"),
            SpaceId::parse("b").expect("valid"),
        );
        let authority = Authority::of_grants(vec![(a.clone(), Right::Read)]);
        assert_eq!(
            authority
                .authorise(&a, Right::Read)
                .expect("granted")
                .space(),
            &a
        );
        assert!(authority.authorise(&a, Right::Ask).is_err());
        assert!(authority.authorise(&b, Right::Read).is_err());
    }
}
