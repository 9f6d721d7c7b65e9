//! Which mentions ask nothing by themselves: "@bot", "@bot ^", "@bot what do
//! you think", "any ideas?".
//!
//! A text is generic when nothing is left of it after mentions, signs and words
//! that carry no topic. The list is of pronouns, question words and verbs of
//! opinion and help, in the languages of [`crate::signals`] that are used most;
//! a word that is not in it makes the text a question of its own.

use std::collections::HashSet;
use std::sync::LazyLock;

/// More words than this are never generic.
const MOST: usize = 8;

/// Words that carry no topic, lower case, without apostrophes.
static EMPTY: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    "a about advice advise again agree all and any anybody anyone are can check chime clue comment \
     comments could correct do does everyone explain feedback from give guess guys have hello help hey hi hmm how i \
     idea ideas in input is it know lets look me my of ok okay on one opinion opinions our people \
     please pls plz possible read right say see so some someone somebody suggestion suggestions \
     sure take tell that the there these think this thought thoughts to true understand up us view \
     views was we weigh well what whatcha whats who why will with would wrong wdyt yes you your yours \
     а без бы в вам вас ваше вы где да для думаешь думаете думаю есть здесь и идеи идея или как какие \
     какое кто кто-нибудь ли м мне мнение мнения можешь можете мысли на нам нас не нибудь ну о об \
     объясни объясните он она они оно подскажи подскажите поможешь помоги помогите помочь пожалуйста \
     посоветуй посоветуйте почему правда привет прав права правы скажешь скажете скажи скажите \
     согласен согласна совет советы так там твое твоё тебе тебя тут ты у хелп что что-нибудь это этого \
     этом этому \
     або бо будь ви вам ваша вашу думка думки думку думаєш думаєте гадаєш гадаєте ідеї ідея і й з за \
     поясни поясніть зможеш можеш можете моя наша нам нас нехай про прошу скажеш скажете скажи скажіть \
     що щось хто хтось цього цьому цим це ця цю так ти тобі твоя твою те то тут чи чому чим якась які \
     є як порадь порадьте порада допоможи допоможіть допоможете згоден згодна правий ласка будьласка \
     אז את אתה אתם אני אנחנו איך אפשר אומר אומרת אומרים בבקשה בזה גם דעה דעות דעתך דעתכם האם הזה הסבר \
     הצעה הצעות זה זאת זו חושב חושבת חושבים חשבת יש כן ככה לא לגבי לדעתך לדעתכם לזה לך לכם לנו למה לעזור \
     מה מי מישהו נכון עוזר עזור עזרה על עצה פה צודק צודקת רעיון רעיונות רוצה של תגיד תגידי תוכל תוכלי \
     תסביר תעזור היי שלום \
     ما ماذا رأيك رأيكم رايك هل هذا هذه في فكرة أفكار أي اي من فضلك ساعد ساعدني مساعدة لماذا صحيح تعتقد تظن أنت \
     avis ca ça ce cela cest ceci comment de des en est et idée idées il la le les moi nous on penses \
     pensez peux peux-tu pourquoi pouvez qu que quen quelquun quoi sais salut sil plaît plait te toi ton \
     tu un une vous votre aide aider expliquer explique vrai \
     algo alguien alguna algún ayuda ayudar bien con cómo como cual cuál crees creen cree de del dices \
     dicen el ella en eso esta este esto explica favor hola idea ideas la lo me nos opina opinan opinas \
     opinión opinion para parece piensa piensas por puedes qué que sabe sabes se sobre sugerencia \
     sugerencias te tu tú un una usted ustedes verdad y ya \
     acha acham ajuda alguém alguma dessa desse disso isso isto me nisso o os opinião para pensa pode \
     poderia sobre sugestão você voce vocês \
     aber alle auch bitte da dabei das dazu dein deine denkst denkt denn der die du dazu ein eine einer \
     erklär er es etwas euch eure gedanken habt hallo hast helfen hilf hilfe hältst haltet ich idee \
     ideen ihr irgendwelche jemand kann kannst könnt könnte man meine meinst meint meinung mir \
     mal meinungen richtig sagst sagt sie sinn stimmt tipps uns und von vorschlag vorschläge warum was \
     weiß wer wie wieso wir würdest zu \
     aiutare aiuto che chi ciao cosa cè consiglio consigli dici di dite e ne nessuna pareri parere \
     pensate pensi per perché puoi qualche qualcuno questo secondo sai te tuo un una voi vero \
     co czy ktoś masz macie mi myślicie myślisz na o pomoc pomoże pomóż pomysł pomysły proszę sądzicie \
     sądzisz się ten to tym tego uważasz wiecie wy zdanie dlaczego prawda \
     bu bunu sen siz fikir fikri fikrin ne düşünüyorsun düşünüyorsunuz mi mu var yardım lütfen biri doğru neden \
     hulp iemand vind vinden jij je jullie ervan hiervan mening ideeën wat waarom denk denken kan klopt"
        .split_whitespace()
        .collect()
});

/// Phrases that carry no topic in scripts without blanks.
const UNSPACED: &[&str] = &[
    "怎么看",
    "怎麼看",
    "怎么样",
    "怎麼樣",
    "怎么想",
    "什么看法",
    "什麼看法",
    "有什么想法",
    "帮忙",
    "帮帮我",
    "你觉得呢",
    "你觉得",
    "你們覺得",
    "你",
    "吗",
    "呢",
    "请",
    "どう思いますか",
    "どう思う",
    "どうですか",
    "助けて",
    "意見",
    "어떻게 생각해요",
    "어떻게 생각해",
    "도와주세요",
    "도와줘",
    "의견",
    "คิดว่าไง",
    "ช่วยด้วย",
];

/// Whether a text asks nothing by itself, mentions and the bot's `names` aside.
#[must_use]
pub fn is_generic(text: &str, names: &[&str]) -> bool {
    // The first words are enough to decide about a long text.
    if text.split_whitespace().take(MOST + 3).count() > MOST + 2 {
        return false;
    }
    let mut text = without_mentions(text, names).to_lowercase();
    if !text.is_ascii() {
        for phrase in UNSPACED {
            text = text.replace(phrase, " ");
        }
    }
    text.retain(|c| !matches!(c, '\'' | '’' | 'ʼ'));
    let mut words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.by_ref().take(MOST).all(|word| EMPTY.contains(word)) && words.next().is_none()
}

/// A text without words that begin with `@`, without Slack's `<@U123>` and
/// without the bot's names.
pub(super) fn without_mentions(text: &str, names: &[&str]) -> String {
    let is_name = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        names
            .iter()
            .any(|name| name.to_lowercase() == word.to_lowercase())
    };
    let words: Vec<&str> = text
        .split_whitespace()
        .filter(|word| !(word.starts_with('@') || word.starts_with("<@") || is_name(word)))
        .collect();
    words.join(" ")
}
