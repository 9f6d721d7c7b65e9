# מילות הדפים בעברית. השמות כמו ב־en.ftl.

## בכל מקום

pages = דפים
skip = אל התוכן
language = שפה
health = מצב
space = מרחב { $name }
spaces = מרחבים
sign-in = כניסה
sign-out = יציאה
account = החשבון שלך
name = שם
password = סיסמה
show = הצגה
show-more = להציג עוד
search = חיפוש
save = שמירה
change-it = שינוי
all = הכול
all-of-them = כל { $count }
shown-of = { $shown } מתוך { $fitting }.
shown-of-more = { $shown } מתוך { $fitting } או יותר.
first-ones = להתחלה
next-ones = הבאים
which = אילו
words = מילים
state = מצב
channel = ערוץ
topic = נושא
outcome = תוצאה
because = מדוע
somebody = מישהו
nameless = מישהו ששמו אינו ידוע
erased = (נמחק)
case = מקרה
question = שאלה
problem = בעיה
solution = פתרון
closeness = קרבה
chance = סיכוי
worked = עזר
failed = לא עזר
published = מפורסם
place-home = בית
place-questions = שאלות
place-cases = מקרים
place-graph = נושאים
place-memory = זיכרון
place-channels = ערוצים
place-ask = לשאול

## מספרים

bytes =
    { $count ->
        [one] בית אחד
        [two] שני בתים
       *[other] { $count } בתים
    }
messages-or-more = { $count } הודעות או יותר
messages =
    { $count ->
        [one] הודעה אחת
        [two] שתי הודעות
       *[other] { $count } הודעות
    }
questions =
    { $count ->
        [one] שאלה אחת
        [two] שתי שאלות
       *[other] { $count } שאלות
    }
answers =
    { $count ->
        [one] תשובה אחת
        [two] שתי תשובות
       *[other] { $count } תשובות
    }
cases =
    { $count ->
        [one] מקרה אחד
        [two] שני מקרים
       *[other] { $count } מקרים
    }
admins =
    { $count ->
        [one] מנהל אחד
        [two] שני מנהלים
       *[other] { $count } מנהלים
    }
days =
    { $count ->
        [one] יום אחד
        [two] יומיים
       *[other] { $count } ימים
    }
confirmed-by =
    { $reactions ->
        [one] אושר בתגובה אחת
        [two] אושר בשתי תגובות
       *[other] אושר ב־{ $reactions } תגובות
    }
quoted-by =
    { $answers ->
        [one] צוטט בתשובה אחת
        [two] צוטט בשתי תשובות
       *[other] צוטט ב־{ $answers } תשובות
    }
worked-failed = עזר: { $worked }, לא עזר: { $failed }
worked-of = עזר { $worked } מתוך { $uses }
helped-failed = עזר: { $helped }, לא עזר: { $failed }
say-helped-failed = אומרים שעזר: { $helped }, שלא: { $failed }
closeness-of = קרבה { $close } מתוך 1000

## מה עלה בגורל מה שנאמר: מילה וסיבה

outcome-answered = נענה
    .because = נענה בפתרון של מקרה פתור או במה שנאמר לבוט לזכור
outcome-suggested = הוצע
    .because = נענה במה שהוצע ולא אושר
outcome-tracked = ידוע
    .because = נענה שהבעיה ידועה ולא נפתרה
outcome-pointed = הופנה לדומים
    .because = הבוט נשאל בשמו והראה את המקרים הקרובים ביותר
outcome-unknown = לא ידוע
    .because = הבוט נשאל בשמו וענה שלא ידוע על כך דבר
outcome-steered = הוראה
    .because = לבוט ניתנה הוראה והוא ביצע אותה
outcome-refused = סירוב
    .because = לבוט נאמר דבר שהוא אינו עושה למי שאומר אותו
outcome-rated = הערכה
    .because = נאמר כאן אם תשובה עזרה
outcome-not_configured = לא מוגדר
    .because = לערוץ אין מנהל פעיל, ולכן לא נאמר בו דבר
outcome-muted = מושתק
    .because = הערוץ אינו רוצה תשובות, או רק למי ששואל בשם
outcome-statement = אמירה
    .because = לא נשאל דבר, או שנשאל מישהו אחר
outcome-noise = רעש
    .because = אין בזה על מה לענות
outcome-withdrawn = נלקח בחזרה
    .because = ההודעה נלקחה בחזרה או שונתה לפני שהייתה תשובה
outcome-too_late = מאוחר מדי
    .because = זה נאמר לפני זמן רב מדי
outcome-answered_by_person = אדם ענה
    .because = אדם ענה ראשון
outcome-repeated = חזרה
    .because = אותה תשובה ניתנה כאן לפני זמן קצר
outcome-too_many = יותר מדי
    .because = הערוץ קיבל כבר את מספר התשובות המותר לזמן הזה
outcome-nothing_found = לא נמצא דבר
    .because = באף מקרה אין מילה מן השאלה
outcome-nothing_close = אין דבר קרוב
    .because = אף מקרה אינו קרוב דיו לשאלה
outcome-nothing_answers = החיפוש אינו זמין
    .because = אי אפשר לחפש כעת לא באינדקס ולא בטבלאות
outcome-search_failed = החיפוש נכשל
    .because = החיפוש נכשל
outcome-silent = שתיקה
set-asked = כל מה שנשאל
set-unanswered = על מה איש לא ידע לענות
set-answered = על מה ניתנה תשובה

## מה הייתה התשובה שווה ומי אומר זאת

worth-worked = עזר
worth-failed = לא עזר
worth-partial = עזר בחלקו
worth-unknown = לא ידוע
says-asker = כך אומר מי ששאל
says-asked-again = מי ששאל שואל שוב את אותו הדבר ואינו אומר על התשובה דבר
says-others = כך אומרים רוב האחרים שאמרו משהו
says-correction = מנהל נתן למקרה פתרון אחר
says-nobody = איש אינו אומר על כך עוד דבר
withdrawn-question-redacted = השאלה נמחקה
withdrawn-case-corrected = המקרה שממנו באה תוקן
withdrawn-case-erased = המקרה שממנו באה נמחק
withdrawn-memory-erased = מה שהיא אומרת נועד להישכח

## מי עשה דבר

actor-operator = מפעיל
actor-program = התוכנית { $name }
actor-in-room = מנהל בחדר
actor-who-may = מי שמותר לו

## דף הבית של מרחב והדוח

home-title = מה שואלים ב־{ $space }
home-asked = נשאלו
home-answered = נענו
home-person-quicker = אדם היה מהיר יותר
home-nothing-known = לא היה ידוע דבר
home-week-before = { $count } בשבוע שלפניו
home-nothing-waits = דבר אינו ממתין. כאן יופיע כל מה שישאלו מעתה ולא ייענה.
home-waiting = פתחו שאלה וכתבו את תשובתה: מעתה ישמע אותה כל מי ששואל כך.
home-became = מה עלה בגורל מה שנאמר, בשבעת הימים האחרונים
home-nothing-said = בשבועיים אלה לא נאמר דבר בשידור חי. על היסטוריה מיובאת הבוט אינו עונה.
home-this-week = השבוע
home-before = לפניו
home-most-asked = מה נשאל יותר מכול בשבעת הימים האחרונים
home-counts = השבוע: { $messages }; נמצאו { $cases }, נפתרו { $solved }.
home-week = השבוע בדף אחד
unanswered-title = על מה איש לא ידע לענות
report = דוח
report-days = ימים
report-what = מה
report-earlier = קודם
report-before = קודם { $count }
report-became = מה עלה בגורל מה שנאמר
report-most-asked = מה נשאל יותר מכול
report-more = ועוד { $count }.
report-messages = הודעות
report-people = אנשים שכתבו
report-questions = שאלות
report-answered = נענו
report-by-person = אדם ענה ראשון
report-nothing-known = לא היה ידוע דבר
report-worked = תשובות שעזרו
report-failed = תשובות שלא עזרו
report-found = מקרים שנמצאו
report-solved = מקרים שנפתרו
report-time = הזמן החציוני עד פתרון
report-tokens = אסימונים של המודל

## שאלות

no-such-questions = אין שאלות כאלה.
question-one = שאלה
question-because = התוצאה: { $outcome } – { $because }.
question-turn = פנייה { $turn }. עוד אומרת `threadlore answers why`.
read-with-it = נקרא יחד איתה ({ $because })
context-anchor = זו תשובה עליה
context-snapshot = זו תשובה עליה
context-chain = שעליה עונה ההודעה ההיא
context-mention = הכותבים קוראים זה לזה בשם
context-thread = אותה שיחה
context-own = של אותו כותב
context-near = זמן קצר לפני כן
answer-it = לענות עליה
answer-it-better = לענות עליה טוב יותר
rate-it = מה דעתך על זה?
rate-helped = זה עזר
rate-failed = זה שגוי, או לא עזר
rated-helped = אמרת שזה עזר.
rated-failed = אמרת שזה שגוי, או שלא עזר.
rate-back = לבטל את זה
teach-label = מי ששואל כך ישמע זאת, על סמך מילתך כמנהל:
teach-button = לזכור את התשובה
what-the-bot-said = מה אמר הבוט
case-it-is-from = המקרה שממנו זה בא
told-this = זה נאמר לבוט.
taken-back = נלקח בחזרה: { $why }
delivery-posting = נשלח כעת על ידי { $gateway }
delivery-posted = נשלח על ידי { $gateway } { $at }
delivery-not-posted = לא היה אפשר לשלוח על ידי { $gateway } { $at }: { $reason }
delivery-taking-back = נלקח בחזרה כעת על ידי { $gateway }
delivery-took-back = נלקח בחזרה על ידי { $gateway } { $at }
delivery-not-taken-back = לא היה אפשר לקחת בחזרה על ידי { $gateway } { $at }: { $reason }
delivery-no-reason = הסיבה אינה ידועה
compared-with = המקרים שהושוו אליה
compared-scale = הקרבה והסיכוי הם מתוך 1000; לתשובה דרושה קרבה של 450.
what-the-log-says = מה אומר היומן

## לשאול

ask-it = לשאול
ask-about = מה היה הבוט יודע, מכל הערוצים של המרחב הזה. איש בצ׳אט אינו רואה זאת.
ask-silent = הבוט לא היה אומר דבר: { $why }.
ask-looked-up = נבדק זה עתה: { $tool }
ask-from = מתוך { $case }
ask-nearest = הקרובים ביותר, ולא תשובה
ask-how = איך זה נמצא
ask-chances = הסיכויים לפי { $model }, לכל היותר { $wrong } מתוך 100 תשובות שגויות, הושוו { $cases } מקרים.
ask-found = קרבה { $close }, סיכוי { $chance } מתוך 1000, לפי
degraded-model = המודל אינו עונה, ולכן באינדקס חיפשו לפי מילים בלבד
degraded-gate = המודל הקורא אינו עונה, ולכן הכללים החליטו אם זו שאלה
degraded-remark = המודל הקורא אינו עונה, ולכן הכללים החליטו אם נאמר כאן משהו על תשובה
degraded-rewrite = המודל המנסח אינו עונה, ולכן השאלה חופשה כמות שהיא
degraded-reranker = המודל המדרג אינו עונה, ולכן קרבת המקרים היא בלעדיו
degraded-reader = המודל הקורא אינו עונה, ולכן הכללים בחרו
degraded-tool = כלי אינו עונה, ולכן המודל הקורא החליט בלעדיו
degraded-budget = האסימונים של היום לקריאה אזלו, ולכן הכללים בחרו
degraded-index = האינדקס אינו עונה, ולכן חיפשו מילים בטבלאות
degraded-tables = הטבלאות אינן עונות, ולכן לא היה אפשר למצוא דבר

## מקרים

status-open = פתוח
status-solved = פתור
status-archived = בארכיון
status-merged = מוזג
status-erased = נמחק
part-problem = בעיה
part-solution = פתרון
part-suggestion = הצעה
part-context = הקשר
no-such-cases = אין מקרים כאלה.
cases-nearest = הקרובים ביותר למילים האלה, הקרוב ראשון.
cases-all = כל המקרים
with-a-suggestion = עם הצעה
suggestion-unconfirmed = הצעה שאיש לא אישר
case-answers = תשובות ממנו: עזרו { $worked }, לא עזרו { $failed }
case-merged-into = המקרה שאליו מוזג
case-messages = ההודעות שמהן הוא בא
case-happened = מה קרה לו
case-without-effect = (ללא השפעה: { $why })
case-version = גרסה { $version }, נמצא על ידי { $engine }, { $link }
case-why = מדוע המקרה { $status }
counts-no-more = כבר לא נחשב
of-merged = של מקרה שמוזג אליו
change-title = לשנות אותו
correct-label = הפתרון שאנשים ישמעו מעתה. מה שנענה לפי הישן ביממה האחרונה יילקח בחזרה.
correct-it = לתקן
archive-label = הוא מיושן: תשובות כבר אינן משתמשות בו. הטקסטים נשארים, ותיקון מחזיר אותו.
archive-it = לארכיון
merge-label = הבעיה בו היא כמו במקרה אחר של אותו ערוץ, שמעתה עומד בשביל שניהם. אחד הקרובים, או הכתובת של אחר:
merge-it = למזג
split-label = הבעיה בו שונה מזו של המקרה שאליו מוזג.
split-it = שיעמוד בפני עצמו
erase-sure = הטקסטים שלו ייעלמו לתמיד: איש לא ישמע אותם שוב, ואיש לא יוכל להחזיר אותם.
erase-it = למחוק
why-solved = הוא נפתר בזכות { $signal }
why-confirmed = מישהו אישר אותו בתגובה
why-suggested = מישהו הציע תשובה, ואיש לא אישר אותה
why-open = שום דבר בצ׳אט אינו מראה מה פתר אותו
why-archived = הוא נשאר פתוח זמן רב מדי, או שמי שמותר לו העביר אותו לארכיון
why-merged = הבעיה שלו זהה לזו של { $case }, שעומד בשביל שניהם
why-merged-somewhere = הבעיה שלו זהה לזו של מקרה אחר, שעומד בשביל שניהם
why-erased = אסור לשמור את מילותיו: `threadlore cases show` אומרת מדוע
why-reacted = תגובה של { $who }: { $emoji }
signal-admin = מילתו של מנהל
signal-reaction = תגובה חיובית על התשובה
signal-thanks = תודה או דיווח של מי ששאל
signal-thread-end = סוף השיחה אחרי התשובה (סימן חלש)
note-admin = אף הודעה בערוץ הזה אינה אומרת זאת
note-reaction = התגובה כבר אינה עומדת
note-thanks = ההודעה שאומרת זאת כבר אינה במקרה
note-thread-end = איש לא אמר שזה עזר: זה הסימן החלש ביותר
happened-opened = נמצא פתוח על ידי { $engine }
happened-suggested = נמצא עם הצעה על ידי { $engine }
happened-disproved = ההצעה התבררה כשגויה, לפי { $engine }
happened-solved = נפתר בזכות { $signal }, לפי { $engine }
happened-solved-by-word = נפתר לפי מילתו של { $who }
happened-confirmed = אושר על ידי { $who }, { $emoji }
happened-withdrew = התגובה { $emoji } של { $who } הוסרה
happened-expired = פג: הוא נשאר פתוח זמן רב מדי
happened-archived = בארכיון: לפי { $who } הוא מיושן
happened-redacted = נמחק: הודעה שהוא מצטט נמחקה
happened-edited = נמחק: הודעה שהוא מצטט שונתה
happened-erased = נמחק: לבקשת { $who }
happened-merged = מוזג אל { $case }: לפי { $who }
happened-merged-alike = מוזג אל { $case }: הבעיות דומות ב־{ $alike } מתוך 1000 ({ $by })
happened-joined = { $case } מוזג אליו: לפי { $who }
happened-joined-alike = { $case } מוזג אליו: הבעיות דומות ב־{ $alike } מתוך 1000 ({ $by })
happened-split = המיזוג בוטל
happened-split-by = המיזוג בוטל על ידי { $who }

## זיכרון

tier-patterns = נשאל שוב ושוב, ונשמר לתמיד
tier-history = נשאל בחודש האחרון
tier-working = נשאל ביממה האחרונה, וטרם הוכרע
memory-all = הכול
memory-told = מה נאמר לבוט
memory-nothing = עדיין שום דבר. אמרו לבוט „תזכור ש…”, או כתבו כאן.
memory-label = לזכור זאת ולומר זאת לכל מי שיכול לקרוא את הערוץ:
memory-always = שמודל השיחה הקורא יידע זאת בכל שאלה
memory-model-knows = מודל יודע זאת בכל שאלה
memory-gone = מה שכבר לא נאמר
remember-it = לזכור
bring-it-back = להחזיר
bring-back-this = להחזיר: { $text }
forget-it = לשכוח
forget-this = לשכוח: { $text }
say-it-otherwise = לומר זאת אחרת
say-it-so = לומר זאת כך
other-words-of = מילים אחרות ל: { $text }
told-to-one = נאמר רק למי שאמר זאת
told-to-all = נאמר לכולם
archived-replaced = הוחלף
archived-full = נדחק
archived-expired = פג
archived-failed = לא עזר

## אנשים

people = אנשים
people-what = מה שיש על אדם במרחב הזה; מוצאים אותו לפי המזהה שלו בפלטפורמה. בערוץ גם השמות מובילים לכאן.
people-unknown = איש בעל המזהה { $id } לא כתב דבר במרחב הזה.
people-platform = פלטפורמה
people-id = המזהה שם
people-find = למצוא
people-one = למצוא אדם
person-wrote = מה שכתב
person-cases = מקרים ובהם מילים שלו
person-told = מה שביקש לזכור
person-nothing = לא נותר ממנו דבר.
person-forget = לשכוח
person-forget-what = המפתח שלו, ההודעות שלו, מה שביקש לזכור והמקרים ובהם מילים שלו נעלמים לתמיד. מה שיכתוב מעתה לא יישמר, והבוט לא יענה לו.
person-forget-it = לשכוח את האדם הזה
person-sure = כל זה יימחק לתמיד: איש לא יוכל להשיב אותו.
person-mentioned =
    { $count ->
        [one] הודעה אחת של אחרים מזכירה אותו, והיא נשארת.
        [two] שתי הודעות של אחרים מזכירות אותו, והן נשארות.
       *[other] { $count } הודעות של אחרים מזכירות אותו, והן נשארות.
    }

## ערוצים

channels-none = עדיין אין אף אחד: חברו פלטפורמה, או ייבאו צ׳אט בפקודה `threadlore import`.
channel-no-admin = שותק: אין מנהל
channel-off = שותק: כבוי
channel-answers = עונה על שאלות
channel-set = הוגדר על ידי { $by } ב־{ $day }
audience-public = כולם יכולים לקרוא
audience-space = חברי המרחב יכולים לקרוא
audience-members = מה שנאמר שם נשאר שם
mode-questions = עונה על שאלות שנשאל הוא או שנשאלו כולם
mode-mentions = עונה למי ששואל אותו בשמו
mode-off = אינו אומר דבר
channel-bot = הבוט
channel-readers = מי יכול לקרוא כאן
channel-readers-about = תשובה משתמשת במה שכל אחד בערוץ שלה יכול לקרוא.
channel-pages = דפים לכולם
channel-pages-about = האנשים שם בשמות אחרים; לערוץ שלא כולם יכולים לקרוא אין כאלה.
channel-publish = למקרים הפתורים שלו יש דפים שכל אחד יכול לקרוא ומנועי חיפוש מוצאים
channel-admins = מנהלים
channel-admins-about = מילתם קובעת: הם מתקנים, מלמדים ומורים לשכוח. בלעדיהם הבוט שותק כאן.
channel-other-admin = עוד אחד, לפי המזהה שלו בפלטפורמה
channel-docs = כתובות של תיעוד, אחת בשורה, למי ששאל ולא קיבל תשובה
readers-box = תיבת השאלות של הדפים שפורסמו
readers-let = לתת להם לשאול
readers-let-about = למי שקורא את הדפים שפורסמו אין היכן לשאול. עם תיבת שאלות כל אחד שואל בלי חשבון; אפשר לסגור אותה בדף של הערוץ site:help.
channel-read-only = כאן מותר לך לקרוא, ולא לשנות דבר.
its-messages = מה נאמר שם
messages-about = מי עונה למי, כפי שהכללים רואים זאת: להודעות של שיחה אחת יש קו אחד לצידן, והן מובילות למקרים שנוצרו מהן.
messages-none = עדיין לא נאמר כאן דבר.
messages-bot = בוט
messages-answers = עונה ל{ $name }: { $text }
messages-answers-earlier = עונה להודעה קודמת
earlier-ones = הודעות קודמות
in-its-channel = מה נאמר סביב זה
latest-ones = אל ההודעות האחרונות
its-questions = השאלות שלו
its-cases = המקרים שלו

## ייבוא צ׳אט

import-title = ייבוא צ׳אט
import-about = ייצוא של צ׳אט, כפי שכותבים אותו Telegram,‏ WhatsApp,‏ Slack,‏ Discord,‏ Element,‏ Zulip,‏ GitHub או רשימת תפוצה, ארוז או לא; או יומן של IRC. מה שנפתר בו יהיה למקרים בתוך דקות. אותו קובץ שוב אינו מוסיף דבר.
import-file = הקובץ, לכל היותר { $most } MiB
import-more = אם זה יומן, או שהזמנים בו בלי אזור
import-channel = הערוץ שאליו הוא הולך; לייצוא יש ערוצים משלו
import-timezone = האזור של זמנים שנכתבו בלעדיו
import-it = לייבא
import-before = ייבואים מאז שהתהליך הזה התחיל
import-reading = ממתין, או נקרא.
import-taking = נלקח
import-skipped =
    { $lines ->
        [one] שורה אחת לא הייתה שמישה: `threadlore import --dry-run` אומרת מדוע.
        [two] שתי שורות לא היו שמישות: `threadlore import --dry-run` אומרת מדוע.
       *[other] { $lines } שורות לא היו שמישות: `threadlore import --dry-run` אומרת מדוע.
    }
import-cases = אל המקרים
import-refused = דבר לא נלקח:
import-no-file = אין קובץ, או שהוא ריק.
import-unknown = זה אינו ייצוא מוכר. אם זה יומן של IRC או שורות JSON, אמרו לאיזה ערוץ הוא הולך.
import-nothing = אין בו דבר שמיש.

## מה שואלים

graph-title = מה שואלים
graph-about = מה שואלים על „{ $subject }”
graph-subject = נושא
graph-in = בתוך
last-day = היממה האחרונה
last-week = השבוע האחרון
last-month = החודש האחרון
last-all = כל הזמן
graph-counted =
    { $questions ->
        [one] נספרו { $read } האחרונות מתוך שאלה אחת.
        [two] נספרו { $read } האחרונות מתוך שתי שאלות.
       *[other] נספרו { $read } האחרונות מתוך { $questions } שאלות.
    }
graph-last = נשאל לאחרונה ב־{ $day }.
answered-by-cases = נענו ממקרים
answered-by-memories = ממה שנאמר לבוט
answered-by-tools = על ידי כלים
answered-by-people = על ידי אנשים
answered-by-nobody = לא נענו
answered-by-silent = הושארו כך
graph-nobody = על מה מזה איש לא ידע לענות
graph-cases = המקרים שענו
graph-words-beside = מילים לצידו
graph-words-most = המילים של רוב השאלות
graph-none = אין. נספרות כאן שאלות שנשאלו בשידור חי; בהיסטוריה מיובאת אין כאלה.
graph-word = מילה
graph-by-people = על ידי אנשים
graph-by-nobody = לא נענו
graph-acts = מה עשה הבוט ואיך זה נגמר
graph-who = מי נשאל
graph-did = מה עשה
graph-times = פעמים
asked-bot = הבוט, בשמו
asked-everybody = כולם
asked-once-more = כולם, שוב
asked-unseen = לא נבדק

## מצב ההתקנה

health-nothing-waits = דבר אינו ממתין: כל קבוצה לקחה את כל הרשומות.
health-waiting =
    { $records ->
        [one] רשומה אחת ממתינה.
        [two] שתי רשומות ממתינות.
       *[other] { $records } רשומות ממתינות.
    }
health-again = לרענן כל חמש שניות
health-not-again = לא לרענן מעצמו
health-group = קבוצה
health-records = רשומות ממתינות
health-drawn = אותו הדבר, בציור
health-tables = טבלאות
health-people = מי דואג להתקנה הזו
health-letters = מכתבים מתים
health-no-letters = אין.
health-reasons = כל אחד עם סיבתו, וניסיון נוסף

## מכתבים מתים

letters = מכתבים מתים
letters-what = רשומות שתפקיד לא הצליח לעבד, וקריאות שנכשלו סופית. כשהסיבה תוקנה אפשר לנסות כל אחד שוב; מי שקורא את היומן מחדש מדלג על השאר.
letters-none = אין.
letters-redriven = נוסה שוב בתור { $place }
letters-again = לנסות שוב
letters-all = כל מה שבנושא הזה
letters-reason = רק אלה שבסיבתם המילים האלה; בלי מילים כולם
letters-all-again = לנסות את כולם שוב
letters-done = נוסו שוב: { $redriven }, נוסו כבר: { $already }, אי אפשר: { $refused }.
letters-more = ועוד { $count }.
letters-when = מתי
letters-role = תפקיד
letters-space = מרחב
letters-key = מפתח
letters-source = רשומה
letters-value = הערך שלה
letters-show-value = להציג; ייתכן שיש בו טקסט ושמות של אנשים

## טבלאות והרצות חוזרות

replays-title = טבלאות והרצות חוזרות
replays-what = כל טבלה נבנית מן היומן. הרצה חוזרת בונה אחת חדשה לצד הפעילה, משווה בין השתיים שורה אחר שורה, ואם הן שוות החדשה פעילה. היא אינה שואלת שום מודל, ואיש אינו מחכה לה.
replays-which = הטבלאות של
replays-compare-only = רק להשוות; לשמור את החדשה לצד הפעילה
replays-more = כפי שהיו בזמן כלשהו
replays-until = רק עם מה שהיה ביומן לפני הזמן הזה; טבלאות כאלה לעולם אינן פעילות
replays-begin = לבנות מחדש
replays-waits = ממתינה לתורה.
replays-compares = הכול קופל; השתיים מושוות.
replays-not-done = ההרצה החוזרת לא נעשתה:
replays-pause = להשהות
replays-resume = להמשיך
replays-give-up = לוותר
replays-switch = להפעיל אותה
replays-drop = למחוק אותה
folded = { $part } מתוך { $whole } רשומות
folded-of = { $build }, קופלו
build-under-way = הרצה חוזרת ממלאת אותה
build-paused = ההרצה החוזרת שלה מושהית
build-cut-off = ההרצה החוזרת שלה נקטעה
build-live = פעילה
build-as-of = נכון ל־{ $time }
build-other-version = של גרסה אחרת
build-kept = נשמרת כדי לחזור אליה
compared-equal = שווה ל־g{ $number }
compared-different = שונה מ־g{ $number }
compared-work = { $events } אירועים ב־{ $seconds } שניות
compared-table = טבלה
compared-rows = שורות
compared-live = סכום הביקורת של הפעילה
compared-rebuilt = סכום הביקורת שלה

## כניסה והחשבון שלך

sign-in-by-link = מי שדואג להתקנה נכנס דרך קישור: `threadlore sign-in` מדפיסה אחד.
sign-in-no-accounts = לאיש אין כאן עדיין שם וסיסמה: `threadlore user add NAME` נותנת אותם. עד אז `threadlore sign-in` מדפיסה קישור.
sign-in-with-name = כניסה בשם ובסיסמה
sign-in-wrong = אין שם כזה עם הסיסמה הזאת.
sign-in-forgot = שכחתם את הסיסמה? בקשו ממי שנתן לכם את החשבון קישור לבחירת סיסמה אחרת.
sign-in-too-often =
    { $seconds ->
        [one] יותר מדי ניסיונות: המתינו שנייה אחת.
        [two] יותר מדי ניסיונות: המתינו שתי שניות.
       *[other] יותר מדי ניסיונות: המתינו { $seconds } שניות.
    }
sign-in-at = כניסה דרך { $provider }
sign-in-go-on = להמשיך
sign-in-astray = הדרך הזאת חזרה לא התחילה בדפדפן הזה, או שהתחילה לפני יותר מעשר דקות: היכנסו שוב.
sign-in-refused = { $provider } לא נתן לך להיכנס.
sign-in-nameless = { $provider } אינו אומר עליך שם שנחשב כאן, כגון כתובת דואר שאומתה. מי שדואג להתקנה בוחר איזה נחשב (`oidc.claim`).
sign-in-no-account = לאיש אין כאן חשבון בשם { $name }. מי שדואג להתקנה נותן אותו: `threadlore user add NAME`.
account-signed-in = נכנסת בתור { $name }.
account-old-password = הסיסמה הנוכחית שלך
account-new-password = הסיסמה שלך מעתה, לפחות { $least } תווים
account-at = הכניסה שלך היא דרך { $provider }, ואין לך כאן סיסמה.
account-elsewhere = בכל מקום אחר שנכנסת אליו, הכניסה תסתיים.

## דפים לכולם

solved-questions = שאלות פתורות
published-of = שאלות פתורות של { $space }
published-in = מה נשאל ונפתר ב־{ $space }.
published-said = מה נאמר
published-alike = דומים
published-names = לאנשים בשיחה הזאת יש כאן שמות אחרים. מי שכתב בה ורוצה שתיעלם מבקש ממי שדואג לערוץ, או אומר שם לבוט: „תשכח אותי”.
readers-ask = לשאול שאלה
readers-about = התשובה באה מיד, ממה שכבר נפתר כאן.
readers-kept = מי שדואג למקום הזה קורא את השאלה שלך, וכשהיא נפתרת ייתכן שתוצג כאן בשם אחר. הדפדפן שלך שומר מספר לשלושים יום, כדי שרק הוא יראה את התשובות שלך; כתבו „תשכח אותי”, וכל מה ששאלתם יימחק.
readers-wait = מי שדואג למקום הזה רואה שלא קיבלת עזרה, ויכול לענות. אפשר לשאול שוב מאוחר יותר.
readers-more = לשאול משהו אחר
readers-nothing = עדיין לא פורסם דבר.

## מדוע סורב

refused-not-there = זה לא כאן
refused-bad = כך זה לא עובד
refused-too-large = זה יותר מדי
    .sentence = נשלח יותר ממה שנקרא כאן: קצרו את הטקסט, או שלחו פחות בבת אחת.
refused-too-many-questions = יותר מדי שאלות
    .sentence = כרגע באות כל כך הרבה שאלות ששאלתך לא נקלטה: שלחו אותה שוב בעוד דקה.
refused-lacks = אסור
    .ingest = אסור לך לשלוח לכאן הודעות: דרושה הזכות `ingest`.
    .ask = אסור לך לשאול כאן: דרושה הזכות `ask`.
    .read = אסור לך לקרוא זאת: דרושה הזכות `read`.
    .admin = אסור לך לשנות כאן דבר: דרושה הזכות `admin`.
    .page-of-others = זה נשלח מדף של מישהו אחר, ולכן דבר לא שונה. עשו זאת בדפים האלה.
    .address = זו אינה הכתובת של הדפים האלה: פתחו אותם בתור localhost או 127.0.0.1, או בכתובת שב־`api.public_url`.
    .operator = זה נוגע להתקנה כולה: דרושה ההרשאה `admin` במרחב `system`.
    .no-password = למי שנכנס דרך קישור אין סיסמה: הדף הזה הוא לאנשים עם חשבון.
refused-busy = לא בבת אחת
refused-waits = זה ביומן
    .sentence = מה שביקשת נשמר, ולא נעשה בתוך עשר שניות. הוא ייעשה ברגע שהתפקידים שעושים זאת ירוצו וידביקו את הפער: אל תשלחו שוב.
refused-sign-in = היכנסו
    .sentence = הדפים האלה מראים מה אנשים כתבו, ולכן הם למי שדואג להתקנה ולאנשים עם חשבון. פתחו את הקישור ש־`threadlore up` הדפיסה בתחילתה, או הדפיסו חדש: `threadlore sign-in`.
refused-not-yet = עדיין לא
    .sentence = התהליך מתחיל או נעצר: נסו שוב בעוד רגע.
refused-away = לא עכשיו
    .sentence = מסד הנתונים או היומן אינו עונה כעת: נסו שוב בעוד רגע. ייתכן שמה שנשלח התקבל; בדקו לפני שאתם שולחים שוב.
refused-provider = איש לא נכנס
    .sentence = המקום שדרכו נכנסים לא ענה כעת, או שאי אפשר לסמוך על תשובתו: נסו שוב. היומן של threadlore בפלט השגיאות אומר עוד.
refused-failed = משהו שבור
    .sentence = זו תקלה של threadlore, והיומן שלו בפלט השגיאות אומר עוד.
refused-link = כבר נכנסו דרך הקישור הזה, או שהוא ישן מעשר דקות, או שנקטע כשהועתק. `threadlore sign-in` מדפיסה חדש.
refused-no-page = אין דף כזה.
refused-not-published = אין דף כזה, או שהערוץ שלו אינו מפורסם. מי שדואג למרחב ימצא את המקרה אחרי כניסה.
refused-after = `after` אינו שם של דבר במרחב הזה: הוא צריך להיות מה שיש לדף בתור `next`.
refused-no-space = אין כאן מרחב „{ $name }”.
refused-no-channel = אין במרחב הזה ערוץ „{ $name }”.
refused-no-outcome = אין תוצאה „{ $name }”: כולן ב־docs/outcomes.md.
refused-rating = אין הערכה „{ $rating }”: היא helped, failed, או ריק כדי לבטל אותה.
refused-cookies = הדפדפן לא שלח עוגייה שלנו, ולכן לא היה אפשר להראות את התשובה רק לך: אפשרו עוגיות של הדף הזה, פתחו אותו שוב ושאלו.
refused-no-answer-yet = אין כאן תשובה לדפדפן הזה. אם שאלת ממש עכשיו, הביטו שוב בעוד רגע.
refused-forgotten = ביקשת שנשכח אותך, ולכן דבר ממה שהדפדפן הזה שולח אינו נשמר ואינו נענה. אם בכל זאת רצונך לשאול, יש למחוק את העוגייה של הדף הזה ולפתוח אותו שוב.
refused-no-state = אין למקרה מצב „{ $name }”.
refused-no-tier = אין רמת זיכרון „{ $name }”.
refused-no-topic = אין מכתבים מתים על „{ $name }”.
refused-no-projection = אין היטל „{ $name }”.
refused-time = „{ $time }” אינו זמן: יש לכתוב כמו 2026-11-23T08:00:00Z.
refused-no-case = אין מקרה כזה במרחב הזה.
refused-no-other-case = אין מקרה כזה במרחב הזה: ציינו אותו בקישור או במזהה.
refused-no-question = אין שאלה כזאת במרחב הזה.
refused-no-letter = אין מכתב מת כזה במרחב הזה.
refused-no-person = איש בעל המזהה הזה לא כתב דבר במרחב הזה.
refused-no-build = אין בנייה במספר הזה.
refused-no-memory = דבר אינו זכור תחת המזהה הזה.
refused-length = בטקסט { $characters } תווים, ודרושים 1 עד { $most }: זה מה שאנשים ישמעו
refused-case-erased = המקרה הזה נמחק: הטקסטים שלו נעלמו לתמיד, ואין מה לתקן.
refused-question-erased = מילות השאלה הזאת נמחקו, ולכן אי אפשר לומר לאיש מה היא שאלה.
refused-exchange = לחילופי דברים אין מילים משלהם לשכוח: מחקו את המקרה או את השאלה.
refused-not-sure = דבר לא נמחק: סמנו שהטקסטים ייעלמו לתמיד.
refused-form = זה אינו הטופס של הדף הזה ({ $what }): פתחו אותו שוב.
refused-address = „{ $address }” אינה כתובת של תיעוד: היא מתחילה ב־https:// או ב־http://.
refused-publish = הוא לא פורסם, ודבר אחר לא שונה, כי לא כולם יכולים לקרוא: אמרו שכולם יכולים, או אל תפרסמו.

## הגדרות ההתקנה

settings = הגדרות
settings-what = במה עובד התהליך שמציג את הדף הזה. משנים הגדרה בקובץ או בסביבה של תהליך, והוא קורא אותה בעת עלייתו. סודות אינם מוצגים.
settings-version = גרסה
settings-roles = תפקידים:
settings-set = מוגדר כאן
settings-none-set = דבר: לכל ההגדרות ערכי ברירת המחדל.
settings-tables = כל ההגדרות, לפי טבלה
settings-top = ראש הקובץ
settings-nothing = אין
settings-default = ברירת המחדל היא
settings-no-table = אין הגדרות בשם { $name }.

## אסימונים

tokens = אסימונים של תוכנות
tokens-what = תוכנה שמשתמשת ב־HTTP API, שער משלכם או עוזר שולחים אסימון עם כל בקשה. כל אחד תקף במרחב הזה בלבד, ומותר לו מה שמסומן. אסימון שבוטל אינו תקף עוד בתוך חמש שניות.
tokens-none = עדיין אין.
tokens-made = האסימון של { $name }
tokens-once = העתיקו אותו עכשיו: הוא אינו נשמר ולא יוצג שוב.
tokens-new = אסימון נוסף
tokens-name = איך הוא נקרא
tokens-may = מה מותר לו
tokens-days = כמה ימים הוא תקף
tokens-make = ליצור
tokens-until = תקף עד { $time }
tokens-ran-out = פג
tokens-revoked = בוטל { $time }
tokens-used = בשימוש לאחרונה { $time }
tokens-not-used = עדיין לא בשימוש
tokens-made-by = מאת { $by }, { $time }
tokens-revoke = לבטל
right-ingest = לשלוח הודעות
right-ask = לשאול
right-read = לקרוא
right-admin = לשנות כל דבר כאן
refused-token-name = לאסימון שם של 1 עד 100 תווים, ללא תווי בקרה.
refused-no-rights = בלי אף הרשאה אין בזה תועלת: בחרו לפחות אחת.
refused-days = אסימון תקף 1 עד 3,650 ימים, והתבקשו { $days }.
refused-no-token = אין אסימון כזה במרחב הזה.

## חשבונות

accounts = חשבונות של אנשים
accounts-what = מי רשאי להיכנס לדפים האלה ולעשות משהו במרחב הזה. לכל אחד חשבון עם שם, ואת הסיסמה בוחרים בקישור. הרשאות שנלקחו אינן תקפות עוד בתוך חמש שניות.
accounts-provider = מי שיש לו חשבון כאן יכול להיכנס גם דרך { $provider }, ואז אין צורך בסיסמה.
accounts-link-of = קישור עבור { $name }
accounts-link-what = שלחו אותו לאדם הזה בלבד: מי שהוא בידו בוחר בו את הסיסמה, פעם אחת. הוא תקף עד { $time }.
accounts-none = עדיין אין. מי שדואג להתקנה נכנס בקישור.
accounts-give = לתת הרשאות למישהו
accounts-name = שם החשבון
accounts-signs = אותיות לטיניות קטנות, ספרות ו־. _ - + @, למשל כתובת דואר. מי שכבר יש לו חשבון שומר על סיסמתו.
accounts-may = מה מותר
accounts-signed-in = כניסה אחרונה { $time }
accounts-not-yet = עדיין לא נכנסו
accounts-no-password = עדיין אין סיסמה
accounts-given-by = מאת { $by }, { $time }
accounts-change = לשנות
accounts-link = קישור לסיסמה חדשה
accounts-remove = לקחת את ההרשאות
join = בחרו סיסמה
join-what = יש לכם כאן החשבון { $name }. בשם הזה ובסיסמה שתבחרו עכשיו תיכנסו מעתה.
join-do = לבחור ולהיכנס
refused-account-name = לחשבון שם של 1 עד 100 מן הסימנים a–z, ‏0–9, „.”, „_”, „-”, „+” ו־„@”.
refused-account-ingest = דפים אינם שולחים הודעות, לכן איש אינו צריך שם את ההרשאה „ingest”: היא לאסימונים של תוכנות.
refused-no-account = לאף חשבון בשם הזה אין הרשאות במרחב הזה.
refused-account-link = את הסיסמה של החשבון הזה אינכם יכולים להחליף: הוא שלכם, או שמותר לו מה שאסור לכם. את הסיסמה שלו משנה כל אחד מאחורי שמו בראש הדף.
refused-password = בסיסמה { $least } עד { $most } בתים.
refused-invitation = הקישור הזה כבר שימש, עברו עליו יותר משבעה ימים, נקטע בהעתקה, או שההרשאות שלכם השתנו מאז. בקשו קישור חדש במקום שקיבלתם אותו.
refused-password-changed = הסיסמה שלכם שונתה באותו רגע במקום אחר: היכנסו שוב.
