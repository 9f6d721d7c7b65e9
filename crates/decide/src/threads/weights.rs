//! How much each clue weighs, in hundredths.

use super::Clue;

/// The weight of a clue.
pub(super) fn of(clue: Clue) -> i32 {
    match clue {
        Clue::Lines1 => 100,
        Clue::Lines2 => 80,
        Clue::Lines3 => 60,
        Clue::Lines5 => 40,
        Clue::Lines10 => 0,
        Clue::Lines20 => -50,
        Clue::Lines40 => -100,
        Clue::LinesMore => -200,
        Clue::Minutes6 => -50,
        Clue::Minutes12 => -100,
        Clue::MinutesMore => -200,
        Clue::To => 300,
        Clue::ToLast => 150,
        Clue::ToWhoAddressedLast => 100,
        Clue::From => 200,
        Clue::FromLast => 100,
        Clue::Own => 0,
        Clue::OwnLast => 200,
        Clue::Elsewhere => -300,
        Clue::Private => -100,
        Clue::BotAfterCommand => 300,
        Clue::Start => 100,
        Clue::StartUnseenQuestion => 200,
        Clue::StartAddressing => -300,
        _ => 0,
    }
}
