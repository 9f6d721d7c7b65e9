//! Names of bots. The user of an import gives them, because IRC does not mark bots.

use crate::format::fold;

/// A pattern that is not a name with at most one `*` at its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "bot name {0:?} is not valid: write names such as ubottu or FloodBot*, with '*' only at the end"
)]
pub struct BadPattern(String);

/// Names of bots; `*` at the end of a name matches any rest. Case is ignored, as on IRC.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bots {
    names: Vec<String>,
    prefixes: Vec<String>,
}

impl Bots {
    /// Parses a list such as `ubottu,FloodBot*`. Blanks around names and empty
    /// names do not count.
    ///
    /// # Errors
    /// [`BadPattern`] for a name that is only `*` or has `*` before its end.
    pub fn parse(list: &str) -> Result<Self, BadPattern> {
        let mut bots = Self::default();
        for pattern in list.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let (name, list) = match pattern.strip_suffix('*') {
                Some(prefix) => (prefix, &mut bots.prefixes),
                None => (pattern, &mut bots.names),
            };
            if name.is_empty() || name.contains('*') {
                return Err(BadPattern(pattern.to_owned()));
            }
            list.push(fold(name));
        }
        Ok(bots)
    }

    /// Whether a name is a bot's.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        let name = fold(name);
        self.names.contains(&name) || self.prefixes.iter().any(|p| name.starts_with(p.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_prefixes_match_whatever_the_case() {
        let bots = Bots::parse(" ubottu, FloodBot*,,").expect("a list");
        for bot in ["ubottu", "Ubottu", "floodbot3", "FloodBot"] {
            assert!(bots.has(bot), "{bot}");
        }
        for person in ["ubottu2", "flood", "ann", ""] {
            assert!(!bots.has(person), "{person}");
        }
        assert!(!Bots::parse("").expect("an empty list").has("ubottu"));
    }

    #[test]
    fn a_star_stands_at_the_end_only() {
        for bad in ["*", "*bot", "a*b", "a**"] {
            let error = Bots::parse(bad).expect_err("refused");
            assert!(error.to_string().contains(bad), "{error}");
        }
    }
}
