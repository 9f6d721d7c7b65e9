//! Phrases that show the purpose of a line.

use super::{Phrases, phrases};

/// Beginnings of lines that are no instruction.
pub(in super::super) static CHATTER: Phrases = Phrases::new(|| {
    phrases(
        "i dont know, i do not know, dunno, no idea, not sure, im not sure, i have no, sorry, \
         lol, haha, hehe, np, no problem, youre welcome, you are welcome, yw, welcome, good luck, \
         hi, hello, hey, thanks, thank you, thx, ask your, just ask, dont ask, please ask, be \
         patient, please dont, what do you, what are you, what is your, whats your, what version, \
         which version, what does, what happens, are you, do you, did you, have you, is it, is \
         there, is that, does it, does the, can you, could you, how do you, how did you, why do \
         you, why are you, why would, who, where, when did, what kind, wait, hmm, hm, oh, ah, \
         weird, strange, same here, me too, i have the same, i had the same, i think i, let me, \
         ill, im going, im trying, i am, brb, one sec, hold on, glad, great, cool, nice, \
         congrats, he, she, they, my, mine, thats what i, that is what i, i was, i want, i need, \
         i get, i got, im, ive, i cant, i dont, i didnt, i couldnt, tell me, tell us, show me, \
         show us, pastebin, paste, please paste, please pastebin, google, what about, you mean, u \
         mean, so you, so your, so its, language, please stop, stop, watch your, please keep, its \
         offtopic, this is not, surprised, personally, works fine here, works for me, works here, \
         usually i, that really, that sounds, sounds like, thats weird, thats odd, hopefully, did \
         u, do u, are u, unable to, learn, either way, depends, that depends, it depends, afaik, \
         congratulations, if i, may be i, guess i, for me, not really, not exactly, probably not, \
         not that i, nope, why, before, try a few, whatever, feel free, a very, lets see, see my, \
         as i said, like i said, its possible, mines, mine is, yea i, yeah i, yes i, ya i, one \
         can, too bad, i am not",
    )
});

/// Phrases anywhere in a line that make it no instruction.
pub(in super::super) static NO_INSTRUCTION: Phrases = Phrases::new(|| {
    phrases(
        "i dont know, no idea, dont know, not sure how, not sure what, never used, never tried, \
         never done, pastebin, paste the output, paste it, paste your, whats the output, what is \
         the output, what does it say, output of, what error, any error, show us, tell us, tell \
         me, give me, let me know, wait for, ask in, ask on, ask there, join channel, off topic, \
         offtopic, wrong channel, not supported here, not the place, sorry i, im sorry, good \
         luck, search the forum, google it, google for, just google, cant help, no clue, same \
         problem, same issue, me too, i wonder, i have no, i suppose you, what do you, who knows, \
         why not, see if that, i am not, im having, i have a problem, you are welcome, youre \
         welcome, /join, people here, in this channel, file a bug, repeat your, rephrase, feel \
         free, if you want to, up to you, best of luck, as far as i remember, i cant remember, i \
         dont remember, who told you, what happens when, what happens if, when you say, so many \
         questions, put up on, upload it to, link me, link us, pm me, msg me, message me, would \
         advise you dont, i use, ask again, check the system log, the system log, check your \
         logs, check the logs, check the log, all i can suggest, read the wiki, logs will help, logs would help, log would help",
    )
});

/// Beginnings by which a helper speaks of himself and still advises.
pub(in super::super) static ADVISERS: Phrases = Phrases::new(|| {
    phrases(
        "i would, id, i suggest, i recommend, i think you, i believe you, i guess you, id \
         suggest, id recommend, i usually just, i think its, i believe its, i think the, i think there, \
         i think it, i believe the, i guess its, i think that",
    )
});

/// Beginnings of a problem that only continues an earlier one.
pub(in super::super) static CONTINUING: Phrases = Phrases::new(|| {
    phrases(
        "but, and, or, ok, okay, yes, no, yeah, yep, nope, well, then, that, thats, it, its, \
         also, oh, ah, because, cuz, lol, thanks, thank, thx, which, ya, sure, right, true, hmm, \
         ive got it, is it, does it, is that, will that, would that, so that, so it, so if, so \
         you, so what, so i, this, these, those, they, he, she, what about, how \
         about, you, your, same, not, like, wait, fair enough, i see, anyway, are they, is your, is the problem, actually, i mean, i did, i tried that, i know, are \
         you, have you, did you, do you have, you can, what if, with, isnt, wasnt, arent, ooh, i \
         was thinking, was thinking, hundreds, ahh, aha",
    )
});

/// Phrases with which an asker takes a question back.
pub(in super::super) static TAKEN_BACK: Phrases = Phrases::new(|| {
    phrases("nevermind, never mind, nvm, nm, forget it, ignore that, wrong window, wrong channel")
});

/// Questions about the talk itself.
pub(in super::super) static ABOUT_THE_TALK: Phrases = Phrases::new(|| {
    phrases(
        "repeat my question, desperate, can i ask, i ask something, have a question about, in here, anyone familiar, anybody familiar, someone familiar, anyone here, anybody here, any experience, have experience, anyone awake, \
         anyone alive, which channel, what channel, right channel, ask here, this channel, \
         the channel, right place, off topic, offtopic, anyone around, anybody around, \
         who here, irc channel, channel for, ask a question, ask questions, how are you, ubuntu \
         guys, what do you guys, do you guys, favorite, favourite, opinion, your thoughts, anyone \
         else have, anyone successful, anyone tried, anyone used, has anybody used, has anyone \
         used, has anyone tried, did somebody, opinions, is better, think about, everyday \
         machine, recommend, book, anyone think",
    )
});

/// Beginnings that lead up to a question or a request and are left out of a title.
pub(in super::super) static LEAD_INS: Phrases = Phrases::new(|| {
    phrases(
        "hi, hello, hey, hiya, howdy, greetings, good morning, good evening, good afternoon, good \
         day, evening, morning, all, everyone, everybody, guys, folks, people, there, room, \
         again, so, ok, okay, well, and, but, also, um, uh, please, pls, plz, yo, sup, anyway, \
         then, now, hmm, quick question, i have a question, i have a quick question, question, a \
         question, another question, one question, noob question, newbie question, simple \
         question, dumb question, stupid question, does anyone know, does anybody know, do anyone \
         know, anyone know, anybody know, anyone knows, anybody knows, does anyone here know, do \
         you know, do any of you know, does someone know, someone know, who knows, can anyone \
         tell me, can someone tell me, could someone tell me, can anybody tell me, can you tell \
         me, could anyone tell me, can anyone help me, can someone help me, can anyone help, can \
         someone help, could someone help me, can anybody help me, can any one help me, can u \
         help me, can you help me, please help me, please help, help me, help, need help, i need \
         help, i need some help, i need a little help, any idea, any ideas, i was wondering if \
         anyone knows, i was wondering, im wondering, just wondering, i wonder, if anyone knows, \
         someone, anyone, anybody, any one, sorry, hello everyone, hello all, hi all, im new to \
         ubuntu, im new to linux, here, lads, gents, ubuntu, ppl, u, to know, with this, привет, \
         здравствуйте, всем привет, добрый день, подскажите, подскажите пожалуйста, пожалуйста, \
         помогите, вопрос, кто знает, народ, ребята, ребят, коллеги, друзья, господа, парни, люди, всем, добрый вечер, доброго дня, \
         друзі, колеги, панове, хлопці, люди, добрий вечір, доброго вечора, חברים, אנשים, ערב טוב, בוקר טוב, привіт, вітаю, доброго дня, добрий день, \
         підкажіть, підкажіть будь ласка, будь ласка, допоможіть, питання, хто знає, всім, \
         шановні, שלום, היי, שאלה, בבקשה, לכולם, מישהו יודע, bonjour, salut, tous, à tous, svp, \
         hola, buenas, por favor, hallo, moin, bitte, ciao, first question, a problem, someone \
         wanna help me out, can somebody help, can somebody help me, could anyone help me, could \
         you help me, anyone can help me, can someone please help me, can anyone please help me, \
         do any one know, any one know, anyone has any idea, any body know, any1 know, does any1 \
         know, does some know, does some one know, does anyone have any idea, anyone have any \
         idea, any idea about, any idea why, tell me, hi guys, can any1 help, can any1 tell me, \
         aight, dude, man, ack, hmmm, hm",
    )
});

/// Filler words before an instruction.
pub(in super::super) static FILLERS: Phrases = Phrases::new(|| {
    phrases(
        "yes, yeah, yep, no, ok, okay, well, then, so, and, ah, oh, just, maybe, sure, right, \
         hmm, but, you",
    )
});

/// How an instruction may be put as a question.
pub(in super::super) static SUGGESTIONS: Phrases =
    Phrases::new(|| phrases("try, tried, why dont you, cant you, why not"));

/// How advice sounds without a verb of its own.
pub(in super::super) static ADVICE: Phrases = Phrases::new(|| {
    phrases(
        "you need, you can, you should, you have to, you could, you must, u need, u can, youll \
         need, you want to, there is a, theres a, its in, it is in, its called, make sure, its \
         under, is in the, its the, needs to be, has to be, should be, should work, will work, \
         would work, will do, should do, does that, is called, the command is, the package is, is \
         the package",
    )
});

/// Words of questions for help: how, why, whether something can be.
pub(in super::super) static SEEKING: Phrases = Phrases::new(|| {
    phrases(
        "how do, how can, how to, what should, can a, can the, do i, will it, will the, would it, could i, how does, how would, how could, how should, how come, how i \
         can, how is, how are, how many, how long, how much, is there a way, is there any, is there a, are there \
         any, is it possible, possible to, is it normal, is it safe, is it ok, is it supported, is this \
         expected, is that expected, any way to, whats the, what is the, what is a, what does, what are the, what do i, why does, why \
         is, why are, why do, why isnt, why doesnt, why dont, why cant, why am, why did, where can \
         i, where do i, where is, where are, can i, should i, do i need, do i have, does it, does the, has anyone \
         seen, has anyone else, anyone know, anyone having, anybody know, is anyone, any idea, supported, как, почему, зачем, где, можно ли, чем, як, чому, навіщо, де, чи можна, איך, כיצד, למה, מדוע, איפה, \
         האם, كيف, لماذا, أين, هل, cómo, por qué, porqué, dónde, se puede, wie, warum, wieso, \
         weshalb, wo, kann man, comment, pourquoi, où, est ce que, come, perché, dove, como, por \
         que, onde, jak, dlaczego, gdzie, czy, nasıl, neden, hoe, waarom",
    )
});

/// Beginnings of small talk.
pub(in super::super) static SMALL_TALK: Phrases = Phrases::new(|| {
    phrases(
        "i dont know, i do not know, dunno, no idea, not sure, im not sure, sorry, lol, haha, hehe, \
         np, no problem, youre welcome, you are welcome, your welcome, yw, welcome, good luck, hi, hello, hey, \
         thanks, thank you, thx, ask your, just ask, dont ask, please ask, be patient, go ahead, wait, hmm, \
         hm, weird, strange, same here, me too, let me, brb, one sec, hold on, glad, great, cool, \
         nice, congrats, tell me, tell us, show me, show us, paste, pastebin, post your, please paste, please \
         post, google, anyway, you mean, u mean, so you, he, she, they, what, which, who, where, when did, \
         why, are you, do you, did you, have you, can you, could you, would you, is it, is there, does it, r u, are u, can u, do u, \
         just confused, or anything, got it, i see, understood, good point, good question, interesting",
    )
});

/// Phrases by which a helper asks for more to go by.
pub(in super::super) static ASKS_FOR_MORE: Phrases = Phrases::new(|| {
    phrases(
        "paste the output, paste it, paste your, pastebin, whats the output, what is the output, what does \
         it say, what error, any error, show us, show me, tell us, tell me, give me, let me know, \
         screenshots, screenshot, screen shot, post your, post the, share your, share the, your code here, ask in, ask on, off topic, offtopic, wrong \
         channel, this room is, dont know, do not know, no idea, no clue, not sure, same problem, \
         same issue, me too, i wonder, if you can reproduce, logs will help, log would help, logs would help, just confused, can i show, need a minute, give me a \
         minute, welcome message, i have seen, let me check, ill check, ill try",
    )
});

/// How an answer begins that is put as a question.
pub(in super::super) static PROPOSALS: Phrases = Phrases::new(|| {
    phrases(
        "try, using, use, maybe, perhaps, did you try, have you tried, did you check, have you \
         checked, why dont you, cant you, why not",
    )
});

/// Phrases with which an asker reports the outcome of the problem.
pub(in super::super) static REPORTING: Phrases = Phrases::new(|| {
    phrases(
        "never mind, nevermind, nvm, seems to be working, seems to be what im looking for, is what i was looking for, seems to work, works fine, it works if, it works \
         when, works with, turns out, turned out, i found out, found the problem, found the issue, found the \
         solution, found a solution, figured out, figured it out, the problem was, the issue was, the \
         solution was, the fix was, it was because, fixed by, solved by, i solved it, solved it by, i fixed \
         it, fixed it by, i had to, so i must, i just had to, my mistake, оказалось, дело было в, \
         проблема была, решил, решила, помогло, виявилось, проблема була, вирішив, вирішила, допомогло, הבעיה \
         הייתה, פתרתי, הסתבר, المشكلة كانت, تم الحل, el problema era, lo solucioné, lo resolví, \
         resultó, das problem war, es lag an, lag daran, gelöst, le problème était, cétait, résolu",
    )
});

/// Beginnings with which helpers describe what they do themselves.
pub(in super::super) static OWN_WAYS: Phrases = Phrases::new(|| {
    phrases(
        "i use, i used, i usually, i just, i always, i normally, i fixed, i solved, i had to, i ended up, i \
         managed to, i would, i dont think, i think, i doubt, i believe, i guess",
    )
});
