# The words of the pages in English. A name is as in the other languages; `{ $blank }` is filled in; what stands
# in backticks is shown as code.

## Everywhere

pages = Pages
skip = To the content
language = Language
health = Health
space = space { $name }
spaces = Spaces
sign-in = Sign in
sign-out = Sign out
account = Your account
name = Name
password = Password
show = Show
show-more = Show more
search = Search
save = Save
change-it = Change it
all = all
all-of-them = All { $count }
shown-of = { $shown } of { $fitting }.
shown-of-more = { $shown } of { $fitting } or more.
first-ones = The first ones
next-ones = The next ones
which = Which
words = Words
state = State
channel = Channel
topic = Topic
outcome = Outcome
because = Because
somebody = somebody
nameless = somebody whose name is not known
erased = (erased)
case = Case
question = Question
problem = Problem
solution = Solution
closeness = Closeness
chance = Chance
worked = Worked
failed = Failed
published = published
place-home = Home
place-questions = Questions
place-cases = Cases
place-graph = Subjects
place-memory = Memory
place-channels = Channels
place-ask = Ask

## Counts

bytes =
    { $count ->
        [one] { $count } byte
       *[other] { $count } bytes
    }
messages-or-more = { $count } messages or more
messages =
    { $count ->
        [one] { $count } message
       *[other] { $count } messages
    }
questions =
    { $count ->
        [one] { $count } question
       *[other] { $count } questions
    }
answers =
    { $count ->
        [one] { $count } answer
       *[other] { $count } answers
    }
cases =
    { $count ->
        [one] { $count } case
       *[other] { $count } cases
    }
admins =
    { $count ->
        [one] { $count } admin
       *[other] { $count } admins
    }
days =
    { $count ->
        [one] { $count } day
       *[other] { $count } days
    }
confirmed-by =
    { $reactions ->
        [one] confirmed by { $reactions } reaction
       *[other] confirmed by { $reactions } reactions
    }
quoted-by =
    { $answers ->
        [one] quoted by { $answers } answer
       *[other] quoted by { $answers } answers
    }
worked-failed = { $worked } worked, { $failed } failed
worked-of = worked { $worked } of { $uses }
helped-failed = { $helped } helped, { $failed } failed
say-helped-failed = { $helped } say that it helped, { $failed } that it failed
closeness-of = closeness { $close } of 1000

## What became of what was said: a word, and why

outcome-answered = answered
    .because = answered with the solution of a solved case, or with what it was told
outcome-suggested = suggested
    .because = answered with what was suggested and not confirmed
outcome-tracked = tracked
    .because = answered that the problem is known and not solved
outcome-pointed = pointed
    .because = asked by name, and answered with the nearest cases
outcome-unknown = unknown
    .because = asked by name, and answered that nothing is known about it
outcome-steered = steered
    .because = the bot was told something, and it was done
outcome-refused = refused
    .because = the bot was told something that it does not do for who says it
outcome-rated = rated
    .because = it says whether an answer helped
outcome-not_configured = not configured
    .because = the channel has no active admin, so nothing is said in it
outcome-muted = muted
    .because = the channel wants no answers, or only those to who asks by name
outcome-statement = statement
    .because = nothing is asked, or somebody else is asked
outcome-noise = noise
    .because = nothing in it could be answered
outcome-withdrawn = withdrawn
    .because = it was taken back or changed before there was an answer
outcome-too_late = too late
    .because = it was said too long ago
outcome-answered_by_person = answered by person
    .because = a person answered first
outcome-repeated = repeated
    .because = the same answer was given here a short time ago
outcome-too_many = too many
    .because = the channel had as many answers as it may have in this time
outcome-nothing_found = nothing found
    .because = no case shares a word with the question
outcome-nothing_close = nothing close
    .because = no case is close enough to the question
outcome-nothing_answers = nothing answers
    .because = neither the index nor the tables can be searched now
outcome-search_failed = search failed
    .because = the search failed
outcome-silent = silent
set-asked = everything that was asked
set-unanswered = what nobody could answer
set-answered = what was answered

## What an answer was worth, and who says so

worth-worked = worked
worth-failed = failed
worth-partial = partial
worth-unknown = unknown
says-asker = who asked says so
says-asked-again = who asked asks the same again, and says nothing of it
says-others = most of the others who say something say so
says-correction = an admin gave the case another solution
says-nobody = nobody says anything of it any more
withdrawn-question-redacted = the question was deleted
withdrawn-case-corrected = the case that it came from was corrected
withdrawn-case-erased = the case that it came from was erased
withdrawn-memory-erased = what it tells was to be forgotten

## Who did something

actor-operator = an operator
actor-program = the program { $name }
actor-in-room = an admin in the room
actor-who-may = somebody who may

## The home of a space, and its report

home-title = What is asked in { $space }
home-asked = Asked
home-answered = Answered
home-person-quicker = A person was quicker
home-nothing-known = Nothing was known
home-week-before = { $count } the week before
home-nothing-waits = Nothing waits. Whatever people ask from now on and get no answer to is listed here.
home-waiting = Open one and write its answer: whoever asks like that is told it from then on.
home-became = What became of what was said, in the last seven days
home-nothing-said = Nothing was said live in these two weeks. Imported history is not answered.
home-this-week = This week
home-before = Before
home-most-asked = What was asked most, in the last seven days
home-counts = This week: { $messages }; { $cases } found, { $solved } solved.
home-week = The week in one page
unanswered-title = What nobody could answer
report = Report
report-days = Days
report-what = what
report-earlier = before
report-before = before { $count }
report-became = What became of what was said
report-most-asked = What was asked most
report-more = And { $count } more.
report-messages = messages
report-people = people who wrote
report-questions = questions
report-answered = answered
report-by-person = answered by a person first
report-nothing-known = nothing known
report-worked = answers that worked
report-failed = answers that failed
report-found = cases found
report-solved = cases solved
report-time = middle time to a solution
report-tokens = tokens of the model

## Questions

no-such-questions = There are no such questions.
question-one = A question
question-because = It was { $outcome }: { $because }.
question-turn = Turn { $turn }. `threadlore answers why` says more.
read-with-it = read with it ({ $because })
context-anchor = it replies to this
context-snapshot = it replies to this
context-chain = what that replies to
context-mention = their writers name each other
context-thread = the same conversation
context-own = of the same writer
context-near = shortly before
answer-it = Answer it
answer-it-better = Answer it better
rate-it = What do you say of it?
rate-helped = It helped
rate-failed = It is wrong, or did not help
rated-helped = You say that it helped.
rated-failed = You say that it is wrong, or did not help.
rate-back = Take that back
teach-label = Whoever asks like that is told this, with your word as an admin's:
teach-button = Remember this answer
what-the-bot-said = What the bot said
case-it-is-from = the case that it is from
told-this = It was told this.
taken-back = taken back, because { $why }
delivery-posting = is being posted by { $gateway }
delivery-posted = posted by { $gateway } { $at }
delivery-not-posted = could not be posted by { $gateway } { $at }: { $reason }
delivery-taking-back = is being taken back by { $gateway }
delivery-took-back = taken back by { $gateway } { $at }
delivery-not-taken-back = could not be taken back by { $gateway } { $at }: { $reason }
delivery-no-reason = no reason is known
compared-with = The cases that it was compared with
compared-scale = Closeness and chance are of 1000; an answer needs a closeness of 450.
what-the-log-says = What the log says

## Asking

ask-it = Ask
ask-about = What the bot would know, from all channels of this space. Nobody in a chat sees it.
ask-silent = It would say nothing: { $why }.
ask-looked-up = Looked up just now: { $tool }
ask-from = From { $case }
ask-nearest = Nearest, and not an answer
ask-how = How it was found
ask-chances = Chances by { $model }, at most { $wrong } of 100 answers wrong, { $cases } cases compared.
ask-found = closeness { $close }, chance { $chance } of 1000, by
degraded-model = the model does not answer, so the index was searched by words alone
degraded-gate = the model that reads does not answer, so the rules decided whether it is a question
degraded-remark = the model that reads does not answer, so the rules decided whether it says something of an answer
degraded-rewrite = the model that rewrites does not answer, so the question was looked up as it stands
degraded-reranker = the model that ranks does not answer, so cases are as close as without it
degraded-reader = the model that reads does not answer, so the rules chose
degraded-tool = a tool does not answer, so the model that reads decided without it
degraded-budget = the day's tokens for reading are spent, so the rules chose
degraded-index = the index does not answer, so words in the tables were searched
degraded-tables = the tables do not answer, so nothing could be found

## Cases

status-open = open
status-solved = solved
status-archived = archived
status-merged = merged
status-erased = erased
part-problem = problem
part-solution = solution
part-suggestion = suggestion
part-context = context
no-such-cases = There are no such cases.
cases-nearest = The nearest to these words, the nearest first.
cases-all = All cases
with-a-suggestion = with a suggestion
suggestion-unconfirmed = Suggestion, which nobody confirmed
case-answers = answers from it: { $worked } worked, { $failed } failed
case-merged-into = the case that it was merged into
case-messages = The messages that it comes from
case-happened = What happened to it
case-without-effect = (without effect: { $why })
case-version = Version { $version }, found by { $engine }, { $link }
case-why = Why it is { $status }
counts-no-more = counts no more
of-merged = of a case merged into it
change-title = Change it
correct-label = The solution that people are told from now on. What was answered with the old one in the last day is taken back.
correct-it = Correct it
archive-label = It is outdated: no answer uses it any more. Its texts stay, and a correction brings it back.
archive-it = Archive it
merge-label = It is about the same problem as another case of its channel, which stands for both from now on. One of the nearest, or the address of another:
merge-it = Merge it
split-label = It is about another problem than the case that it was merged into.
split-it = Let it stand by itself
erase-sure = Its texts are to be gone for good: nobody is told them again, and nobody can bring them back.
erase-it = Erase it
why-solved = it was solved by { $signal }
why-confirmed = somebody confirmed it by a reaction
why-suggested = somebody suggested an answer, and nobody confirmed it
why-open = nothing in the chat shows what solved it
why-archived = it stayed open for too long, or somebody who may archived it
why-merged = it has the same problem as { $case }, which stands for both
why-merged-somewhere = it has the same problem as another case, which stands for both
why-erased = its words may not be kept: `threadlore cases show` says why
why-reacted = { $who } reacted with { $emoji }
signal-admin = an admin's word
signal-reaction = a positive reaction on the answer
signal-thanks = the asker's thanks or report
signal-thread-end = the end of the conversation after the answer (weak)
note-admin = no message of this channel says so
note-reaction = the reaction does not stand any more
note-thanks = the message that says so is not in the case any more
note-thread-end = nobody said that it helped: it is the weakest signal
happened-opened = found open by { $engine }
happened-suggested = found with a suggestion by { $engine }
happened-disproved = what was suggested proved wrong, says { $engine }
happened-solved = solved by { $signal }, says { $engine }
happened-solved-by-word = solved by the word of { $who }
happened-confirmed = confirmed by { $who } with { $emoji }
happened-withdrew = { $who } withdrew { $emoji }
happened-expired = expired: it stayed open for too long
happened-archived = archived: { $who } said that it is outdated
happened-redacted = erased: a message that it quotes was redacted
happened-edited = erased: a message that it quotes was edited
happened-erased = erased: { $who } asked for it
happened-merged = merged into { $case }: { $who } said so
happened-merged-alike = merged into { $case }: their problems are alike by { $alike } of 1000 ({ $by })
happened-joined = { $case } was merged into it: { $who } said so
happened-joined-alike = { $case } was merged into it: their problems are alike by { $alike } of 1000 ({ $by })
happened-split = the merge was undone
happened-split-by = the merge was undone by { $who }

## Memory

tier-patterns = Asked again and again, and kept for ever
tier-history = Asked in the last month
tier-working = Asked in the last day, and not yet decided
memory-all = All of it
memory-told = What it was told
memory-nothing = Nothing yet. Say “remember that …” to the bot, or write it here.
memory-label = Remember this, and tell it to everybody who can read the channel:
memory-always = A chat model that reads is to know it with every question
memory-model-knows = a model knows it with every question
memory-gone = What is told no more
remember-it = Remember it
bring-it-back = Bring it back
bring-back-this = Bring back: { $text }
forget-it = Forget it
forget-this = Forget: { $text }
say-it-otherwise = Say it otherwise
say-it-so = Say it so
other-words-of = Other words of: { $text }
told-to-one = told to nobody but who said it
told-to-all = told to everybody
archived-replaced = replaced
archived-full = full
archived-expired = expired
archived-failed = failed

## People

people = People
people-what = What there is of a person in this space, found by the id that the platform has of them. In a channel, names lead here too.
people-unknown = Nobody of the id { $id } wrote anything in this space.
people-platform = Platform
people-id = Their id there
people-find = Find
people-one = Find a person
person-wrote = What they wrote
person-cases = Cases with words of theirs
person-told = What they had remembered
person-nothing = Nothing of them is left.
person-forget = Forget them
person-forget-what = Their key, their messages, what they had remembered and the cases with their words are gone for good. What they write from now on is not kept, and the bot does not answer them.
person-forget-it = Forget this person
person-sure = All of it is to be gone for good: nobody can bring it back.
person-mentioned =
    { $count ->
        [one] One message of others mentions them, and stays.
       *[other] { $count } messages of others mention them, and stay.
    }

## Channels

channels-none = There is none yet: connect a platform, or `threadlore import` a chat.
channel-no-admin = silent: no admin
channel-off = silent: it is switched off
channel-answers = answers questions
channel-set = set by { $by } on { $day }
audience-public = everybody can read it
audience-space = members of the space can read it
audience-members = what is said there stays there
mode-questions = answers questions, asked of it or of everybody
mode-mentions = answers who asks it by name
mode-off = says nothing
channel-bot = The bot
channel-readers = Who can read along here
channel-readers-about = An answer uses what everybody in its channel can read.
channel-pages = Pages for everybody
channel-pages-about = With people under other names; a channel that not everybody can read has none.
channel-publish = its solved cases have pages that anybody can read and search engines find
channel-admins = Admins
channel-admins-about = Their word counts: they correct, teach, and have things forgotten. Without any the bot is silent here.
channel-other-admin = Another one, by the id that the platform has for them
channel-docs = Addresses of documentation, one a line, for who asks and gets no answer
readers-box = The question box of the published pages
readers-let = Let them ask
readers-let-about = Readers of the published pages have no box to ask in. With one, anybody asks without an account; it is closed on the page of the channel site:help.
channel-read-only = You may read this here, and change nothing.
its-messages = What was said there
messages-about = Who answers whom, as the rules see it: messages of one conversation have one line beside them, and lead to the cases that came of them.
messages-none = Nothing was said here yet.
messages-bot = a bot
messages-answers = answers { $name }: { $text }
messages-answers-earlier = answers an earlier message
earlier-ones = Earlier messages
in-its-channel = What was said around it
latest-ones = To the latest messages
its-questions = Its questions
its-cases = Its cases

## Bringing a chat

import-title = Import a chat
import-about = The export of a chat from Telegram, WhatsApp, Slack, Discord, Element, Zulip, GitHub or a mailing list, packed or not; or an IRC log. What was solved in it becomes cases within minutes. Importing the same file again adds nothing.
import-file = The file, of at most { $most } MiB
import-more = For a log, or for times without a zone
import-channel = The channel to import into; an export has channels of its own
import-timezone = The zone of times that are written without one
import-it = Import
import-before = Imports since this process started
import-reading = Waiting, or being read.
import-taking = Being taken
import-skipped =
    { $lines ->
        [one] { $lines } line could not be used: `threadlore import --dry-run` says why.
       *[other] { $lines } lines could not be used: `threadlore import --dry-run` says why.
    }
import-cases = To its cases
import-refused = Nothing was taken:
import-no-file = There is no file, or it is empty.
import-unknown = This is not an export that Threadlore knows. If it is an IRC log or JSON lines, say which channel it belongs to.
import-nothing = There is nothing in it that could be used.

## What people ask about

graph-title = What people ask about
graph-about = What people ask about “{ $subject }”
graph-subject = A subject
graph-in = In
last-day = the last day
last-week = the last week
last-month = the last month
last-all = all the time
graph-counted =
    { $questions ->
        [one] Counted are the latest { $read } of { $questions } question.
       *[other] Counted are the latest { $read } of { $questions } questions.
    }
graph-last = Asked last on { $day }.
answered-by-cases = answered from cases
answered-by-memories = from what it was told
answered-by-tools = by tools
answered-by-people = by people
answered-by-nobody = by nobody
answered-by-silent = left alone
graph-nobody = What nobody could answer of it
graph-cases = The cases that answered it
graph-words-beside = Words beside it
graph-words-most = Words of most questions
graph-none = None. Questions that are asked live are counted here; imported history has none.
graph-word = Word
graph-by-people = By people
graph-by-nobody = By nobody
graph-acts = What the bot did, and how that went
graph-who = Who was asked
graph-did = What it did
graph-times = Times
asked-bot = The bot, by name
asked-everybody = Everybody
asked-once-more = Everybody, once more
asked-unseen = Not looked at

## Health of the installation

health-nothing-waits = Nothing waits: every group has taken all records.
health-waiting =
    { $records ->
        [one] { $records } record wait to be taken.
       *[other] { $records } records wait to be taken.
    }
health-again = Look again every five seconds
health-not-again = Do not look again by itself
health-group = Group
health-records = Records that wait
health-drawn = The same, drawn
health-tables = Tables
health-people = Who looks after this installation
health-letters = Dead letters
health-no-letters = There are none.
health-reasons = Each with its reason, and another try

## Dead letters

letters = Dead letters
letters-what = Records that a role could not process, and calls that failed for good. Each can be tried again once its cause is mended; whoever reads the log anew passes over the rest.
letters-none = There are none.
letters-redriven = tried again as { $place }
letters-again = Try it again
letters-all = All of this topic
letters-reason = Those whose reason contains these words; all of them without any
letters-all-again = Try them again
letters-done = { $redriven } tried again, { $already } were before, { $refused } cannot be.
letters-more = And { $count } more.
letters-when = When
letters-role = Role
letters-space = Space
letters-key = Key
letters-source = Record
letters-value = Its value
letters-show-value = Show it; it may hold text and names of people

## Tables and replays

replays-title = Tables and replays
replays-what = Every table is made from the log. A replay builds one anew beside the live one, compares the two row by row, and makes the new one live if they are equal. It asks no model, and nobody waits for it.
replays-which = Tables of
replays-compare-only = only compare; keep the new one beside the live one
replays-more = As they were at some time
replays-until = With what was in the log before this time alone; such tables never go live
replays-begin = Build anew
replays-waits = Waits for its turn.
replays-compares = All is folded; the two are compared.
replays-not-done = The replay was not done:
replays-pause = Pause
replays-resume = Go on
replays-give-up = Give it up
replays-switch = Make it live
replays-drop = Drop it
folded = { $part } of { $whole } records
folded-of = { $build }, folded
build-under-way = a replay fills it
build-paused = a replay of it is paused
build-cut-off = a replay of it was cut off
build-live = live
build-as-of = as of { $time }
build-other-version = of another version
build-kept = kept to go back to
compared-equal = Equal to g{ $number }
compared-different = Different from g{ $number }
compared-work = { $events } events in { $seconds } s
compared-table = Table
compared-rows = Rows
compared-live = Digest of the live one
compared-rebuilt = Digest of this one

## Signing in, and one's own account

sign-in-by-link = Who looks after the installation signs in by a link: `threadlore sign-in` prints one.
sign-in-no-accounts = Nobody has a name and a password here yet: `threadlore user add NAME` gives somebody one. Until then `threadlore sign-in` prints a link.
sign-in-with-name = Sign in with a name and a password
sign-in-wrong = There is no such name with this password.
sign-in-forgot = Forgot your password? Ask whoever let you in for a link to choose another one.
sign-in-too-often = That was tried too often: wait { $seconds } seconds.
sign-in-at = Sign in at { $provider }
sign-in-go-on = Go on
sign-in-astray = This sign-in was not started in this browser, or it was started more than ten minutes ago: sign in once more.
sign-in-refused = { $provider } did not let you in.
sign-in-nameless = { $provider } gave no name that can be used here, such as a verified e-mail address. The operator of this installation chooses which one is used (`oidc.claim`).
sign-in-no-account = There is no account { $name } here. The operator of this installation can add it: `threadlore user add NAME`.
account-signed-in = You are signed in as { $name }.
account-old-password = Your password as it is
account-new-password = Your password from now on, of at least { $least } letters
account-at = You sign in at { $provider }, and have no password here.
account-elsewhere = Wherever else you are signed in, you are out then.

## Pages for anybody

solved-questions = Solved questions
published-of = Solved questions of { $space }
published-in = What was asked and solved in { $space }.
published-said = What was said
published-alike = Alike
published-names = The people of this conversation have other names here. Who wrote in it and wants it gone asks who looks after the channel, or tells the bot there: “forget me”.
readers-ask = Ask a question
readers-about = It is answered at once from what has been solved here.
readers-kept = Who looks after this place reads your question, and it may be shown here once it is solved, under another name. Your browser keeps a number for thirty days so that it alone is shown your answers; ask “forget me”, and all that you asked is erased.
readers-wait = Who looks after this place sees that you were not helped, and may answer. Ask again later.
readers-more = Ask something else
readers-nothing = Nothing is published yet.

## Why something is refused. Sentences without blanks are said in English by the code, and found by their words.

refused-not-there = Not here
refused-bad = That does not work
refused-too-large = That is too much
    .sentence = More was sent than is read here: shorten the text, or send less at once.
refused-too-many-questions = Too many questions
    .sentence = So many questions come just now that yours was not taken: send it again in a minute.
refused-lacks = Not allowed
    .ingest = You may not send messages here: it needs the right `ingest`.
    .ask = You may not ask here: it needs the right `ask`.
    .read = You may not read this: it needs the right `read`.
    .admin = You may not change anything here: it needs the right `admin`.
    .page-of-others = That was sent by a page of somebody else, so nothing was changed. Do it on these pages.
    .address = This is not the address of these pages: open them as localhost or 127.0.0.1, or at the address that `api.public_url` says.
    .operator = This is about the whole installation: it needs the right `admin` in the space `system`.
    .no-password = Who signed in by a link has no password: this page is for people with an account.
refused-busy = Not at once
refused-waits = It is in the log
    .sentence = What was asked is kept, and was not done within ten seconds. It is done as soon as the roles that do it run and have caught up: do not send it again.
refused-sign-in = Sign in
    .sentence = These pages show what people wrote, so they are for who looks after this installation, and for people with an account. Open the link that `threadlore up` printed at its start, or have a new one printed: `threadlore sign-in`.
refused-not-yet = Not yet
    .sentence = The process starts or stops: try again in a moment.
refused-away = Not now
    .sentence = The database or the log does not answer now: try again in a moment. What was sent may have been taken; look before you send it again.
refused-provider = Not signed in
    .sentence = The sign-in provider did not answer, or its answer cannot be trusted: try again. The log of threadlore on standard error says more.
refused-failed = Something is broken
    .sentence = This is a fault of threadlore, and its log on standard error says more.
refused-link = This link was followed before, is older than ten minutes, or was cut short when it was copied. `threadlore sign-in` prints a new one.
refused-no-page = There is no such page.
refused-not-published = There is no such page, or its channel is not published. Who looks after the space finds the case after signing in.
refused-after = `after` names nothing in this space: it has to be what a page has as `next`.
refused-no-space = There is no space “{ $name }” here.
refused-no-channel = There is no channel “{ $name }” in this space.
refused-no-outcome = There is no outcome “{ $name }”: docs/outcomes.md has them all.
refused-rating = There is no rating “{ $rating }”: it is helped, failed, or nothing to take it back.
refused-cookies = Your browser sent no cookie of ours, so the answer could not be shown to you alone: allow cookies of this page, open it again, and ask.
refused-no-answer-yet = There is no answer here for this browser. If you asked just now, look again in a moment.
refused-forgotten = You asked to be forgotten, so nothing that this browser sends is kept or answered. If you want to ask all the same, delete the cookie of this page and open it again.
refused-no-state = There is no state “{ $name }” of a case.
refused-no-tier = There is no tier “{ $name }” of memories.
refused-no-topic = There are no dead letters about “{ $name }”.
refused-no-projection = There is no projection “{ $name }”.
refused-time = “{ $time }” is no time: write one such as 2026-11-23T08:00:00Z.
refused-no-case = There is no such case in this space.
refused-no-other-case = There is no such case in this space: name it by its link or its id.
refused-no-question = There is no such question in this space.
refused-no-letter = There is no such dead letter in this space.
refused-no-person = Nobody of that id wrote anything in this space.
refused-no-build = There is no build of this number.
refused-no-memory = Nothing is remembered under that id.
refused-length = the text has { $characters } characters, and 1 to { $most } are needed: it is what people will be told
refused-case-erased = This case is erased: its texts are gone for good, so there is nothing to correct.
refused-question-erased = The words of this question are erased, so nobody can be told what it asked.
refused-exchange = An exchange has no words of its own to forget: erase its case, or have its question deleted.
refused-not-sure = Nothing was erased: tick that its texts are to be gone for good.
refused-form = That is not the form of this page ({ $what }): open it again.
refused-address = “{ $address }” is no address of documentation: it begins with https:// or http://.
refused-publish = It is not published, and nothing else was changed, because not everybody can read it: say that everybody can, or do not publish it.

## Settings of the installation

settings = Settings
settings-what = What the process that serves this page runs with. A setting is changed in the file or the environment of a process, which reads it at its start. Secrets are not shown.
settings-version = Version
settings-roles = Roles:
settings-set = Set here
settings-none-set = Nothing: all settings have their defaults.
settings-tables = All settings, by table
settings-top = Top of the file
settings-nothing = nothing
settings-default = The default is
settings-no-table = There are no settings of the name { $name }.

## Tokens

tokens = Tokens of programs
tokens-what = A program that uses the HTTP API, a gateway of your own or an assistant sends a token with every request. Each is for this space alone, and may what is checked. One that is revoked counts no more within five seconds.
tokens-none = There are none yet.
tokens-made = The token of { $name }
tokens-once = Copy it now: it is not kept, and not shown again.
tokens-new = Another token
tokens-name = What it is called
tokens-may = What it may
tokens-days = How many days it counts
tokens-make = Make it
tokens-until = counts until { $time }
tokens-ran-out = ran out
tokens-revoked = revoked { $time }
tokens-used = last used { $time }
tokens-not-used = not used yet
tokens-made-by = by { $by }, { $time }
tokens-revoke = Revoke it
right-ingest = send messages
right-ask = ask
right-read = read
right-admin = change what is here
refused-token-name = A token has a name of 1 to 100 characters, without control characters.
refused-no-rights = Without any right this is of no use: choose at least one.
refused-days = A token counts for 1 to 3,650 days, and { $days } were asked for.
refused-no-token = There is no such token in this space.

## Accounts of people

accounts = Accounts of people
accounts-what = Who may sign in to these pages and do something in this space. Each has an account by name, and chooses a password by a link. Rights that are taken away count no more within five seconds.
accounts-provider = Who has an account here can sign in at { $provider } too, and then needs no password.
accounts-link-of = A link for { $name }
accounts-link-what = Send it to this person alone: whoever has it chooses the password with it, once. It counts until { $time }.
accounts-none = None yet. The operator signs in by a link.
accounts-give = Give somebody rights
accounts-name = The name of the account
accounts-signs = Lower-case letters, digits and . _ - + @, such as an e-mail address. Who has an account already keeps its password.
accounts-may = What they may
accounts-signed-in = signed in last { $time }
accounts-not-yet = not signed in yet
accounts-no-password = no password yet
accounts-given-by = by { $by }, { $time }
accounts-change = Change it
accounts-link = Link for a new password
accounts-remove = Take the rights away
join = Choose your password
join-what = You have the account { $name } here. With this name and the password that you choose now you sign in from now on.
join-do = Choose it and go in
refused-account-name = An account has a name of 1 to 100 of a-z, 0-9, “.”, “_”, “-”, “+” and “@”.
refused-account-ingest = Pages send no messages, so an account does not need the right “ingest”: it is for tokens of programs.
refused-no-account = No account of that name has rights in this space.
refused-account-link = You cannot replace the password of this account: it is your own, or it has rights that you do not have. Your own password you change behind your name, at the top of a page.
refused-password = A password has { $least } to { $most } bytes.
refused-invitation = This link was used before, is older than seven days, was cut short when it was copied, or your rights have changed since. Ask for a new one where you got it.
refused-password-changed = Your password was changed somewhere else at the same moment: sign in again.
