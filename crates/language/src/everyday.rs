//! Words that say nothing of what a text is about.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// Everyday words of English, separated by blanks, without apostrophes.
pub const EVERYDAY: &str = "a about after again all also am an and any anybody anyone are as at back be because been \
         before but by can cant could did do does doesnt doing dont down else even every for from \
         get gets getting go going good got had has have having he hello help here hey hi how i \
         id if ill im in into is isnt it its ive just know like lot make many me more much my \
         need new no not now of off ok on one only or other our out over please really run same \
         say says see should show so some someone something still stuff sure take tell than thank \
         thanks that thats the their them then there they thing things think this those to too \
         tried try trying up us use used using very want was way we well were what when where \
         which while who why will with without wont work working works would yes yet you your \
         youre";

/// Further words that questions are made of, in English, Russian, Ukrainian and Hebrew.
const ASKING: &str = "is are does do can could should will would has am isnt doesnt possible wondering wonder via where \
    normal find guys guy theres anyway were been being than more most such else whats hows wheres \
    yours mine anything nothing everything thing kind sort bit thing able seems seem getting \
    а без бы был была были было быть в вам вас весь во вот все всё вы где да даже для до его ее её \
    если есть ещё еще же за здесь и из или им их к как какая какие какой ко когда кто ли лучше меня \
    мне мной может можно мой моя моё мои мы на надо нам нас не нет ни но нужно о об он она они оно \
    от очень по под подскажите пожалуйста после потом почему при про просто с сейчас себя со \
    так там то только тоже ту ты у уже что чтобы чем эта эти это этот я делать сделать привет \
    або але би був була були було бути вам вас вже ви від він вона вони воно все всі де для до же за \
    зі і із й його її їх коли кому ким мене мені може можна мій моя моє мої ми на над нам нас не \
    немає ні нема але о об он по під після підкажіть потім при про просто та так там теж ти то \
    тільки у хто хтось це цей ця ці чи чим чому що щоб щось як яка які який якщо зробити робити \
    привіт будь ласка треба є \
    אבל או אולי איך אין אני אנחנו אתה את אפשר בבקשה גם האם הוא היא היה היי זה זאת זו יש כבר כדי כל \
    כמה כן כש לא לי לו לה לנו למה ללא לעשות מאוד מה מי מישהו מתי עוד על עם עכשיו צריך קצת רוצה רק \
    של שלי שלו שלה תודה";

/// Whether a word says nothing of what a text is about: in lower case, without apostrophes.
pub(crate) fn is_everyday(word: &str) -> bool {
    static WORDS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
        let words = EVERYDAY.split_whitespace();
        words.chain(ASKING.split_whitespace()).collect()
    });
    WORDS.contains(word)
}
