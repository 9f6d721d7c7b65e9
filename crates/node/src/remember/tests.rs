use threadlore_language::wording::{Language, Wordings};

use super::*;

#[test]
fn long_texts_and_secrets_are_not_remembered_and_controls_are_left_out() {
    assert_eq!(worth_remembering(" a\u{7}b "), Ok("ab".to_owned()));
    assert_eq!(worth_remembering(&"é".repeat(500)), Ok("é".repeat(500)));
    let long = worth_remembering(&"é".repeat(1_000_000));
    assert_eq!(long, Err(NotRemembered::Long));
    let card = worth_remembering("my card is 4111 1111 1111 1111");
    let Err(card) = card else { panic!("{card:?}") };
    let builtin = Wordings::default();
    assert_eq!(
        card.said(builtin.voice(None, Language::English)),
        "That seems to have a card number in it, and I keep no secrets: what I am told I tell again."
    );
}
