use threadlore_model::Outcome::{self, Fails, Thanks, Works};

use super::{
    has_denial, is_greeting, is_negative_emoji, is_positive_emoji, is_question, may_want_help,
    outcome, rejects, resolution,
};

fn check(table: &[(&str, Option<Outcome>)]) {
    for (text, expected) in table {
        assert_eq!(outcome(text), *expected, "{text:?}");
    }
}

#[test]
fn what_says_that_it_works() {
    check(&[
        ("that worked, thanks!", Some(Works)),
        ("ok it works now", Some(Works)),
        ("bob: rebooted and now it works fine", Some(Works)),
        ("Solved.", Some(Works)),
        ("got it working :)", Some(Works)),
        ("that did the trick", Some(Works)),
        ("спасибо, работает", Some(Works)),
        ("Помогло!", Some(Works)),
        ("дякую, працює", Some(Works)),
        ("תודה, עובד", Some(Works)),
        ("شكرا، يعمل الآن", Some(Works)),
        ("merci ça marche", Some(Works)),
        ("gracias, ya funciona", Some(Works)),
        ("danke, funktioniert", Some(Works)),
        ("obrigado, deu certo", Some(Works)),
        ("grazie, risolto", Some(Works)),
        ("dzięki, działa", Some(Works)),
        ("teşekkürler, çalışıyor", Some(Works)),
        ("谢谢，解决了", Some(Works)),
        ("ありがとう、動きました", Some(Works)),
    ]);
}

#[test]
fn what_gives_thanks() {
    check(&[
        ("thanks bob", Some(Thanks)),
        ("ah, thx a lot", Some(Thanks)),
        ("спасибо", Some(Thanks)),
        ("дякую!", Some(Thanks)),
        ("תודה רבה", Some(Thanks)),
        ("شكرا جزيلا", Some(Thanks)),
        ("muchas gracias", Some(Thanks)),
        ("merci beaucoup", Some(Thanks)),
        ("vielen Dank", Some(Thanks)),
        ("どうもありがとう", Some(Thanks)),
    ]);
}

#[test]
fn what_denies_or_doubts_it() {
    check(&[
        ("it doesn't work", Some(Fails)),
        ("still not working", Some(Fails)),
        ("thanks but that did not work", Some(Fails)),
        ("не работает", Some(Fails)),
        ("спасибо, но все равно не работает", Some(Fails)),
        ("не працює", Some(Fails)),
        ("לא עובד", Some(Fails)),
        ("لا يعمل", Some(Fails)),
        ("still the same error", Some(Fails)),
        ("no luck", Some(Fails)),
        ("та же ошибка", Some(Fails)),
        ("sigue igual", Some(Fails)),
        ("immer noch derselbe Fehler", Some(Fails)),
        ("ça marche pas", Some(Fails)),
        ("no funciona", Some(Fails)),
        ("funktioniert nicht", Some(Fails)),
        ("não funciona", Some(Fails)),
        ("nie działa", Some(Fails)),
        ("还是不可以了", Some(Fails)),
        ("if it works I will tell you", None),
        ("does it work?", None),
        ("how it works is beyond me", None),
        ("thanks in advance", None),
        ("thanks anyway", None),
        ("заранее спасибо", None),
        ("merci d'avance", None),
        ("can you help me? thanks", None),
        ("I installed the package yesterday", None),
        ("", None),
    ]);
    assert_eq!(resolution("it doesn't work"), None);
    assert_eq!(resolution("it works"), Some(Works));
}

#[test]
fn what_asks() {
    for text in [
        "how do I do that",
        "bob: can I use it",
        "Hi, is there a way to mount it",
        "what?",
        "как настроить звук",
        "чому не працює звук",
        "איך מתקינים",
        "كيف أثبت البرنامج",
        "cómo instalo el paquete",
        "wie installiere ich das Paket",
        "怎么安装",
        "hello, does anyone know the package",
    ] {
        assert!(is_question(text), "{text:?}");
    }
    for text in [
        "see http://example.org/?q=1",
        "use sudo",
        "I know how to do it",
        "",
    ] {
        assert!(!is_question(text), "{text:?}");
    }
    assert!(is_greeting("Hello all") && is_greeting("привет") && !is_greeting("so what"));
}

#[test]
fn positive_emoji_in_every_form() {
    for emoji in [
        "👍",
        "👍🏽",
        "❤",
        "❤\u{fe0f}",
        "♥\u{fe0f}",
        "✅",
        "✔\u{fe0f}",
        "☑\u{fe0f}",
        "💙",
        ":+1:",
        "+1",
        "thumbsup",
        "+1::skin-tone-3",
        ":thumbsup_tone2:",
        "+1_light_skin_tone",
        "+1_medium_light_skin_tone",
        "thumbsup_medium_skin_tone",
        ":+1_medium_dark_skin_tone:",
        "clap_dark_skin_tone",
        ":white_check_mark:",
        "heart",
        " :heart: ",
    ] {
        assert!(is_positive_emoji(emoji), "{emoji:?}");
    }
    for emoji in [
        "👎",
        "👎🏽",
        "💔",
        "😢",
        "❌",
        ":-1:",
        "thumbsdown",
        "eyes",
        "",
        "x",
        "👍👎",
    ] {
        assert!(!is_positive_emoji(emoji), "{emoji:?}");
    }
}

#[test]
fn praise_in_a_short_line_is_thanks_and_in_a_long_one_is_talk() {
    check(&[
        ("you're a lifesaver", Some(Thanks)),
        ("bob you rock!", Some(Thanks)),
        ("ты волшебник", Some(Thanks)),
        ("ура, пошло!", Some(Thanks)),
        ("чарівник!", Some(Thanks)),
        ("מלך", Some(Thanks)),
        ("what a legend of a game that was in the old days", None),
        ("is it perfect?", None),
        ("not perfect", None),
        ("не пошло", None),
        ("יש לי כזה", None),
    ]);
}

#[test]
fn thanks_for_damage_are_none() {
    check(&[
        ("thanks, now all my albums are gone", None),
        ("thanks a lot, it is even worse", None),
        ("спасибо, теперь всё пропало", None),
        ("дякую, тепер все зникло", None),
        ("תודה באמת, עכשיו נמחק הכול", None),
        ("thanks, now it is all there", Some(Thanks)),
    ]);
}

#[test]
fn what_denies_or_is_as_before() {
    for text in [
        "no luck",
        "again at three",
        "ещё раз то же",
        "עדיין לוגו",
        "不行",
    ] {
        assert!(has_denial(text), "{text:?}");
    }
    for text in ["quiet all night", "второй день сухо", "кіт спить"] {
        assert!(!has_denial(text), "{text:?}");
    }
}

#[test]
fn what_calls_an_answer_wrong() {
    for text in [
        "wrong",
        "that's not right",
        "No, that is incorrect.",
        "не то",
        "неправильно!",
        "не допомогло",
        "לא נכון",
        "das ist falsch",
        "no sirve",
    ] {
        assert!(rejects(text), "{text}");
    }
    for text in [
        "what is wrong with my wifi that it is gone after the update?",
        "thanks, that works",
        "right",
        "ok, trying",
    ] {
        assert!(!rejects(text), "{text}");
    }
}

#[test]
fn negative_emoji_in_every_form() {
    for emoji in [
        "👎",
        "👎🏽",
        ":-1:",
        "thumbsdown",
        "-1::skin-tone-2",
        "-1_medium_light_skin_tone",
        "❌",
        ":x:",
    ] {
        assert!(is_negative_emoji(emoji), "{emoji}");
        assert!(!is_positive_emoji(emoji), "{emoji}");
    }
    for emoji in ["👍", "😂", "🤔", "", "11"] {
        assert!(!is_negative_emoji(emoji), "{emoji}");
    }
}

#[test]
fn what_may_want_help_without_asking() {
    for text in [
        "heyo.. i get error 502 bad gateway using fpm",
        "hi my profile picture will not update",
        "i by mistake removed my menu panel, how to get it back",
        "камера у подъезда показывает чёрный экран, хотя лампочка на ней горит",
        "принтер друкує порожні сторінки, хоча картридж новий",
        "מאז העדכון הכתוביות לא מסונכרנות",
        "der Drucker ist seit dem Update kaputt",
    ] {
        assert!(may_want_help(text), "{text}");
    }
    for text in [
        "I had soup today with my mother",
        "ssh was the best thing ever, i cant praise it enough",
        "set it in the file and restart the service",
        "no problem",
    ] {
        assert!(!may_want_help(text), "{text}");
    }
}
