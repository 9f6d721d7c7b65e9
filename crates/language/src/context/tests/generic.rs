use crate::context::is_generic;

#[test]
fn a_mention_without_a_question_is_generic() {
    let texts = [
        "@bot",
        "@bot ^",
        "@bot ^^",
        "@bot 👆",
        "@bot what do you think",
        "@bot, thoughts?",
        "bot: any ideas?",
        "<@U0123> help please",
        "what's your opinion, @bot?",
        "@bot что думаешь?",
        "@bot як гадаєш?",
        "@bot מה דעתך?",
        "@bot ما رأيك؟",
        "@bot qu'en penses-tu ?",
        "@bot ¿qué opinas?",
        "@bot o que você acha?",
        "@bot was meinst du?",
        "@bot che ne pensi?",
        "@bot co o tym sądzisz?",
        "@bot sen ne düşünüyorsun?",
        "@bot 你怎么看？",
        "@bot どう思いますか",
        "@bot 어떻게 생각해요?",
    ];
    let missed = texts.into_iter().filter(|text| !is_generic(text, &["bot"]));
    assert_eq!(missed.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn a_question_with_words_of_its_own_is_not_generic() {
    for text in [
        "@bot how do I mount a usb stick?",
        "@bot what do you think about rust?",
        "@bot nginx?",
        "@bot що думаєш про постгрес?",
        "@bot 怎么安装数据库？",
        "restaurant for the gathering?",
        "bot: lights",
    ] {
        assert!(!is_generic(text, &["bot"]), "{text}");
    }
}

#[test]
fn a_name_of_the_bot_is_a_word_unless_it_is_given() {
    assert!(!is_generic("bot: thoughts?", &[]));
}
