//! Words and phrases of many languages, lower case, without apostrophes. Scripts
//! that put no blanks between words are searched inside the text.

use super::phrases::{Phrases, index};

/// Something works or is solved.
pub(super) static WORKS: Phrases = Phrases::new(|| {
    index(
        "works now, work now, it works, that works, this works, works fine, works great, works \
         perfectly, works well, works like a charm, works like charm, works again, works ok, works \
         good, works thanks, works thank, working now, is working, now working, working again, \
         working perfectly, working fine, working great, it worked, that worked, this worked, worked \
         great, worked perfectly, worked like a charm, worked fine, worked thanks, got it working, \
         got it to work, got that working, got it fixed, fixed it, fixed now, is fixed, fixed that, \
         that fixed, it fixed, problem fixed, fixed the problem, fixed my, solved, problem solved, \
         resolved, that did it, did the trick, does the trick, did the job, that helped, figured it \
         out, its working, all good now, back to normal, up and running, now it works, now works, it \
         is running now, works for me now, that was it, that was the problem, it did work, работает, \
         заработало, заработал, заработала, заработали, помогло, помог, решено, решил, решила, \
         решилось, получилось, исправлено, починил, починилось, все ок, працює, запрацювало, \
         запрацював, запрацювала, допомогло, допоміг, вирішено, вирішив, вирішила, вийшло, \
         виправлено, усе працює, עובד, עובדת, עבד, הסתדר, נפתר, פתר, עזר, يعمل, اشتغل, تم الحل, \
         انحلت, نجح, ça marche, ca marche, fonctionne, ça fonctionne, marche maintenant, ça a marché, \
         ca a marché, résolu, resolu, réglé, problème résolu, cest bon, réparé, funciona, funcionó, \
         funciono, ya funciona, resuelto, solucionado, ya está, arreglado, ya anda, funcionou, \
         resolvido, resolveu, deu certo, consegui, funktioniert, es geht jetzt, geht jetzt, jetzt \
         geht es, jetzt gehts, geht wieder, läuft jetzt, läuft wieder, jetzt läuft, klappt, hat \
         geklappt, gelöst, behoben, erledigt, hat geholfen, funziona, funzionato, risolto, va bene \
         adesso, werkt, het werkt, opgelost, gelukt, działa, dziala, zadziałało, rozwiązane, \
         naprawione, pomogło, funguje, vyřešeno, pomohlo, çalışıyor, çözüldü, düzeldi, çalıştı, işe \
         yaradı, fungerar, fungerer, virker nu, virker nå, löst, løst, toimii, berhasil, sudah bisa, \
         được rồi, merge acum, funcționează, rezolvat, működik, megoldva, λειτουργεί, δουλεύει, \
         λύθηκε",
    )
});

/// Thanks.
pub(super) static THANKS: Phrases = Phrases::new(|| {
    index(
        "thanks, thank you, thank u, thank ya, thankyou, thanx, thx, thnx, tnx, thanks a lot, ty, \
         tyvm, tysm, cheers, much appreciated, appreciate it, appreciated, many thanks, kudos, \
         спасибо, спс, благодарю, пасиб, пасибо, дякую, спасибі, дяки, дзякуй, תודה, תודות, شكرا, \
         شكراً, merci, gracias, obrigado, obrigada, valeu, danke, dankeschön, vielen dank, grazie, \
         bedankt, dank je, dankjewel, dank u, dzięki, dzieki, dziękuję, díky, děkuji, teşekkürler, \
         teşekkür ederim, sağol, tack, tak for, takk, kiitos, terima kasih, makasih, cảm ơn, \
         mulțumesc, mersi, köszönöm, köszi, ευχαριστώ, dhanyavaad, धन्यवाद",
    )
});

/// Praise for a helper, and joy: in a short line they are thanks.
pub(super) static PRAISE: Phrases = Phrases::new(|| {
    index(
        "lifesaver, life saver, you rock, u rock, youre the best, you are the best, youre the man, \
         you are the man, youre awesome, you are awesome, youre amazing, you are amazing, youre a \
         genius, you are a genius, youre a legend, legend, youre a star, youre a hero, my hero, \
         wizard, you saved, saved my day, saved the day, saved me, made my day, bless you, owe you \
         one, owe you a beer, perfect, brilliant, excellent, fantastic, wonderful, hooray, hurray, \
         yay, woohoo, woot, yesss, спас, спасла, спасли, выручил, выручила, выручили, волшебник, \
         волшебница, гений, герой, супер, ура, урра, отлично, идеально, круто, класс, красавчик, \
         красавец, человечище, мужик, пошло, полетело, ожил, ожила, ожило, врятував, врятувала, \
         врятували, виручив, виручила, чарівник, чарівниця, геній, супер, ура, чудово, ідеально, \
         клас, круто, пішло, полетіло, ожив, ожила, ожило, אלוף, אלופה, מלך, מלכה, תותח, תותחית, \
         גאון, גאונה, הצלת, הצלתם, מושלם, מעולה, סוף סוף, genial, eres un crack, perfecto, \
         excelente, parfait, génial, super, genial, perfekt, spitze, klasse, perfetto, geniale, \
         perfeito, geweldig, świetnie, super, mükemmel, harika",
    )
});

/// What reports a fault or asks for help without the form of a question. It lets a line be looked
/// up, so a word too many costs a search.
pub(super) static TROUBLE: Phrases = Phrases::new(|| {
    index(
        "error, errors, issue, issues, problem, problems, trouble, bug, broken, breaks, broke, crash, \
         crashes, crashed, crashing, freezes, frozen, hangs, stuck, gone, missing, disappeared, \
         disappears, vanished, vanishes, corrupted, corrupt, wrong, weird, blank, black screen, \
         refuses, fails, failed, failing, closes itself, by itself, by mistake, by accident, \
         accidentally, pops up, pops back up, since the update, after the update, since the upgrade, \
         after the upgrade, after updating, after upgrading, bad gateway, gross now, keeps saying, \
         i cant, i cannot, i can not, will not, wont, isnt, arent, doesnt, \
         does not, didnt, please help, pls help, plz help, help me, need help, how to, how can i, how do i, any way to, \
         ошибка, ошибку, ошибки, проблема, проблему, проблемы, сломался, сломалась, сломалось, пропал, \
         пропала, пропало, пропали, исчез, исчезла, исчезло, зависает, завис, вылетает, глючит, баг, \
         черный экран, чёрный экран, пустой экран, пустые, сам закрывается, после обновления, \
         подскажите, подскажи, помогите, скажите пожалуйста, помилка, помилку, помилки, проблему, \
         проблеми, зламався, зламалась, зламалося, зник, зникла, зникло, зникли, зависає, вилітає, \
         глючить, чорний екран, порожні, порожній, після оновлення, немає, нема, підкажіть, підкажи, \
         допоможіть, скажіть будь ласка, скажіть, שגיאה, שגיאות, בעיה, בעיות, תקלה, נתקע, נתקעת, נעלם, \
         נעלמה, נעלמו, קורס, קורסת, מסך שחור, מאז העדכון, אחרי העדכון, עזרה, תעזרו, fehler, problem, \
         kaputt, stürzt ab, abgestürzt, hängt, verschwunden, seit dem update, nach dem update, hilfe",
    )
});

/// What praises: a line with such words reports no fault.
pub(super) static PRAISING: Phrases = Phrases::new(|| {
    index("awesome, best thing, love it, i love, works great, so good, so nice, amazing")
});

/// What says that an answer is wrong. It counts in a short line about an answer alone: in talk about
/// a problem "wrong" says something else.
pub(super) static REJECTIONS: Phrases = Phrases::new(|| {
    index(
        "wrong, incorrect, false, not right, isnt right, not true, not correct, not what i asked, not \
         what i meant, not the answer, unrelated, useless, outdated, off topic, no help, not helpful, \
         didnt help, doesnt help, did not help, does not help, not it, неправильно, неверно, не то, \
         не про то, не об этом, не помогло, не помог, не помогает, мимо, бесполезно, неправда, \
         устарело, невірно, не те, не про те, не допомогло, не допоміг, не допомагає, марно, \
         застаріло, לא נכון, טעות, שגוי, לא עזר, לא עוזר, לא קשור, לא זה, falsch, stimmt nicht, \
         hilft nicht, hat nicht geholfen, nicht hilfreich, veraltet, incorrecto, equivocado, no \
         ayuda, no ayudó, no sirve, faux, incorrect, nutteloos",
    )
});

/// Thanks that say the help has not come or did not help.
pub(super) static THANKS_UNDONE: Phrases = Phrases::new(|| {
    index(
        "in advance, thanks anyway, thank you anyway, thx anyway, thanks though, thanks but, thank \
         you but, thx but, no thanks, no thank you, thanks for trying, thanks for nothing, worse, even worse, no luck, \
         ill try, i will try, will try, let me try, gonna try, going to try, trying now, ill give it \
         a, ill check, ill look, ill take a look, хуже, гірше, заранее, наперед, заздалегідь, всё равно, все \
         равно, попробую, спробую, מראש, אנסה, תודה באמת, יותר גרוע, davance, en avance, quand même, de antemano, de todas \
         formas, im voraus, trotzdem, in anticipo, lo stesso, bij voorbaat, z góry, antecipadamente, \
         no gracias, non merci, nein danke, не спасибо, ні дякую, нет спасибо, לא תודה, şimdiden, \
         مقدما",
    )
});

/// Thanks with a word for the present and one for damage are meant the other way: "thanks, now
/// everything is gone".
pub(super) static NOW: Phrases = Phrases::new(|| {
    index(
        "now, теперь, сейчас, тепер, зараз, עכשיו, الآن, maintenant, ahora, jetzt, agora, adesso, nu, teraz",
    )
});
pub(super) static DAMAGE: Phrases = Phrases::new(|| {
    index(
        "gone, lost, deleted, dead, broke, broken, bricked, crashes, crashed, worse, wiped, пропал, \
         пропала, пропало, пропали, исчез, исчезла, исчезло, исчезли, удалилось, удалились, \
         сломалось, сломался, умер, зник, зникла, зникло, зникли, видалилось, видалились, зламалось, \
         помер, נמחק, נמחקה, נמחקו, נעלם, נעלמה, נעלמו, נשבר, נהרס, מת, disparu, cassé, perdu, \
         perdido, roto, borrado, weg, kaputt, gelöscht, perso, rotto, quebrou, sumiu",
    )
});

/// Words after a statement that limit it: "works in the terminal, but".
pub(super) static LIMITS: Phrases = Phrases::new(|| {
    index(
        "in, on, with, under, for, when, if, only, but, until, except, as, unless, from, without, at, \
         till, в, на, с, только, но, если, у, з, тільки, але, якщо, רק, אבל, dans, sur, avec, mais, \
         sous, en, con, pero, sólo, solo, im, mit, aber, nur, unter, em, com, mas, ma, maar, ale",
    )
});

/// Something is said to work or help, when nothing denies it.
pub(super) static FAILING: Phrases =
    Phrases::new(|| index("work, works, worked, working, help, helped, helping, fixed, solved"));

/// Something is as bad as it was.
pub(super) static FAILED: Phrases = Phrases::new(|| {
    index(
        "same error, same problem, same issue, same result, same thing, same again, same as before, still same, still the same, still nothing, \
         still fails, still failing, still broken, still get, still getting, no luck, no difference, \
         no change, та же ошибка, та же проблема, то же самое, тоже самое, без изменений, без толку, не помогло, не помог, та сама помилка, те \
         саме, без змін, без толку, не допомогло, אותה שגיאה, אותה בעיה, אותו דבר, نفس الخطأ, نفس المشكلة, même erreur, même \
         problème, toujours pareil, mismo error, mismo problema, sigue igual, derselbe fehler, \
         gleicher fehler, gleiche problem, stesso errore, stesso problema, mesmo erro, mesmo \
         problema, ten sam błąd",
    )
});

/// Words that say that something is as it was before.
pub(super) static STILL: Phrases = Phrases::new(|| {
    index(
        "still, again, ещё, еще, опять, снова, досі, знову, עדיין, שוב, encore, toujours, todavía, \
         aún, otra vez, immer noch, wieder, ainda, ancora, nadal, znowu, hâlâ",
    )
});

/// Words that negate a statement near them.
pub(super) static DENIALS: Phrases = Phrases::new(|| {
    index(
        "not, no, dont, doesnt, didnt, doesn, isnt, wasnt, wont, cant, cannot, never, nothing, none, \
         aint, havent, hasnt, neither, nor, without, nope, hardly, barely, until, except, unless, \
         used, almost, half, stopped, stops, не, нет, ні, никак, ніяк, пока, нифига, לא, אין, عدم, \
         لا, لم, ليس, ما, pas, plus, jamais, rien, aucun, nada, nunca, ningún, tampoco, não, nao, \
         nicht, kein, keine, nie, noch, non, niente, niet, geen, nic, ne, nefunguje, değil, inte, \
         ikke, ei, tidak, belum, không, chưa, nu, nem, δεν",
    )
});

/// Words before a statement that make it a hope, a question or a report of another place.
pub(super) static CONDITIONS: Phrases = Phrases::new(|| {
    index(
        "if, whether, hope, hopefully, should, would, could, might, may, when, once, how, why, what, \
         wonder, wondering, unless, until, til, till, see, does, did, can, will, make, get, sure, \
         think, guess, maybe, если, чтобы, когда, надеюсь, как, почему, ли, должно, якщо, щоб, коли, \
         сподіваюсь, як, чому, чи, має, אם, כש, מתי, איך, למה, si, quand, comment, pourquoi, cómo, \
         cuando, porque, se, quando, wenn, falls, ob, wie, warum, hoffe, als, hoe, waarom, jeśli, \
         czy, jak, eğer, om, hvis, kalau",
    )
});

/// Something works, in scripts without blanks.
pub(super) const UNSPACED_WORKS: &[&str] = &[
    "解决了",
    "解決了",
    "搞定",
    "可以了",
    "好了",
    "成功了",
    "能用了",
    "解決しました",
    "動きました",
    "できました",
    "直りました",
    "うまくいきました",
    "해결",
    "됩니다",
    "작동합니다",
    "됐어요",
    "ใช้ได้แล้ว",
];
/// Denials, in scripts without blanks.
pub(super) const UNSPACED_DENIALS: &[&str] = &[
    "不",
    "没",
    "沒",
    "ません",
    "ない",
    "なかった",
    "안 ",
    "못",
    "않",
    "ไม่",
    "吗",
    "か",
];
/// Thanks, in scripts without blanks.
pub(super) const UNSPACED_THANKS: &[&str] = &[
    "谢谢",
    "謝謝",
    "多谢",
    "感谢",
    "ありがとう",
    "助かりました",
    "감사",
    "고마",
    "ขอบคุณ",
];
/// Questions, in scripts without blanks.
pub(super) const UNSPACED_QUESTIONS: &[&str] = &[
    "怎么",
    "怎麼",
    "为什么",
    "為什麼",
    "如何",
    "什么",
    "吗",
    "ですか",
    "ますか",
    "どうやって",
    "なぜ",
    "어떻게",
    "왜",
    "ยังไง",
    "ทำไม",
];

/// Words that begin questions.
pub(super) static INTERROGATIVES: Phrases = Phrases::new(|| {
    index(
        "how, hows, what, whats, why, where, wheres, when, which, who, whos, whose, can, could, is, \
         are, does, do, did, has, anyone, anybody, any, would, will, should, am, was, как, почему, \
         зачем, где, когда, какой, какая, какие, кто, кто-то, что, подскажите, можно, кто-нибудь, як, \
         чому, навіщо, де, коли, який, яка, які, хто, що, чи, підкажіть, можна, איך, למה, מדוע, איפה, \
         מתי, מה, מי, האם, איזה, كيف, لماذا, أين, متى, هل, ما, comment, pourquoi, où, quand, quel, \
         quelle, qui, quelquun, cómo, dónde, cuándo, cuál, quién, alguien, warum, wieso, wie, wo, \
         wann, welche, welcher, wer, kann, weiß, hat, come, perché, dove, qualcuno, como, onde, \
         quando, alguém, hoe, waarom, waar, wanneer, jak, dlaczego, gdzie, kiedy, czy, nasıl, neden",
    )
});

/// Phrases anywhere in a text that make it a question.
pub(super) static QUESTION_PHRASES: Phrases = Phrases::new(|| {
    index(
        "how do i, how can i, how to i, how would i, how do you, anyone know, anybody know, does \
         anyone, does anybody, can someone, can anyone, can anybody, could someone, can somebody, is \
         there a way, is there any, any idea, any ideas, need help, i need to know, i was wondering, \
         im wondering, what should i, what do i, where can i, where do i, which one should, кто \
         знает, как мне, подскажите, помогите, хтось знає, як мені, підкажіть, допоможіть, מישהו \
         יודע, אפשר עזרה, quelquun sait, est ce que, alguien sabe, weiß jemand, kann jemand, hat \
         jemand, qualcuno sa, alguém sabe",
    )
});

/// Words that greet, when a message begins with them.
pub(super) static GREETINGS: Phrases = Phrases::new(|| {
    index(
        "hi, hello, hey, hiya, heya, yo, hola, greetings, evening, morning, afternoon, howdy, sup, \
         привет, здравствуйте, добрый, привіт, вітаю, שלום, היי, مرحبا, bonjour, salut, buenas, \
         hallo, moin, servus, ciao, olá, oi, cześć, merhaba, hej",
    )
});

/// Words that may come before the first word of a question.
pub(super) static OPENERS: Phrases = Phrases::new(|| {
    index(
        "good, ok, okay, so, folks, guys, all, everyone, please, pls, um, well, and, but, also, then, \
         day, there, ну, а, день, und, et, y, e",
    )
});
