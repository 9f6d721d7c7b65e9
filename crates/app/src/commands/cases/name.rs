//! A case as people name it.

use std::str::FromStr;

use serde::Deserialize;
use threadlore_model::CaseId;

/// A case, named by its id or by a link that ends with it, whatever the link begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct CaseName(pub(crate) CaseId);

/// Characters of an id.
const ID: usize = 36;

impl FromStr for CaseName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let at = text
            .len()
            .checked_sub(ID)
            .filter(|at| text.is_char_boundary(*at));
        let (link, id) = text.split_at(at.unwrap_or(0));
        let ends = |c: char| !c.is_alphanumeric() && c != '-';
        let id: Option<CaseId> = id.parse().ok();
        let id = id.filter(|_| at.is_some() && (link.is_empty() || link.ends_with(ends)));
        id.map(Self).ok_or_else(|| {
            format!(
                "{:?} is neither the link nor the id of a case: take one from `threadlore cases \
                 list`, such as threadlore:case/0736391e-46af-58f2-8c90-46757a90b90c",
                text.chars().take(80).collect::<String>()
            )
        })
    }
}

impl TryFrom<String> for CaseName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0736391e-46af-58f2-8c90-46757a90b90c";

    #[test]
    fn a_case_is_named_by_its_id_or_any_link_that_ends_with_it() {
        let id: CaseId = ID.parse().expect("an id");
        for before in [
            "",
            " ",
            "threadlore:case/",
            "https://x.org/cases?id=",
            "дело:",
        ] {
            assert_eq!(
                format!("{before}{ID}").parse(),
                Ok(CaseName(id)),
                "{before}"
            );
        }
    }

    #[test]
    fn what_names_no_case_is_refused_with_an_example() {
        let longer = format!("a{ID}");
        for text in [
            "",
            "12",
            "threadlore:case/",
            &ID[1..],
            &longer,
            "how do I mount it?",
            "🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉",
        ] {
            let refused = text.parse::<CaseName>().expect_err(text);
            assert!(refused.contains("threadlore cases list"), "{refused}");
        }
    }
}
