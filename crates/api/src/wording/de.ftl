# Die Wörter der Seiten auf Deutsch. Die Namen sind wie in en.ftl.

## Überall

pages = Seiten
skip = Zum Inhalt
language = Sprache
health = Zustand
space = Bereich { $name }
spaces = Bereiche
sign-in = Anmelden
sign-out = Abmelden
account = Ihr Konto
name = Name
password = Passwort
show = Zeigen
show-more = Mehr zeigen
search = Suchen
save = Speichern
change-it = Ändern
all = alle
all-of-them = Alle { $count }
shown-of = { $shown } von { $fitting }.
shown-of-more = { $shown } von { $fitting } oder mehr.
first-ones = An den Anfang
next-ones = Weiter
which = Welche
words = Wörter
state = Stand
channel = Kanal
topic = Topic
outcome = Ergebnis
because = Warum
somebody = jemand
nameless = jemand, dessen Name nicht bekannt ist
erased = (gelöscht)
case = Fall
question = Frage
problem = Problem
solution = Lösung
closeness = Nähe
chance = Chance
worked = Half
failed = Half nicht
published = veröffentlicht
place-home = Start
place-questions = Fragen
place-cases = Fälle
place-graph = Themen
place-memory = Gedächtnis
place-channels = Kanäle
place-ask = Fragen stellen

## Zahlen

bytes =
    { $count ->
        [one] { $count } Byte
       *[other] { $count } Bytes
    }
messages-or-more = { $count } Nachrichten oder mehr
messages =
    { $count ->
        [one] { $count } Nachricht
       *[other] { $count } Nachrichten
    }
questions =
    { $count ->
        [one] { $count } Frage
       *[other] { $count } Fragen
    }
answers =
    { $count ->
        [one] { $count } Antwort
       *[other] { $count } Antworten
    }
cases =
    { $count ->
        [one] { $count } Fall
       *[other] { $count } Fälle
    }
admins =
    { $count ->
        [one] { $count } Admin
       *[other] { $count } Admins
    }
days =
    { $count ->
        [one] { $count } Tag
       *[other] { $count } Tage
    }
confirmed-by =
    { $reactions ->
        [one] durch { $reactions } Reaktion bestätigt
       *[other] durch { $reactions } Reaktionen bestätigt
    }
quoted-by =
    { $answers ->
        [one] in { $answers } Antwort zitiert
       *[other] in { $answers } Antworten zitiert
    }
worked-failed = { $worked } halfen, { $failed } nicht
worked-of = half { $worked } von { $uses } Mal
helped-failed = { $helped } halfen, { $failed } nicht
say-helped-failed = { $helped } sagen, dass es half, { $failed }, dass nicht
closeness-of = Nähe { $close } von 1000

## Was aus dem Gesagten wurde: ein Wort und der Grund

outcome-answered = beantwortet
    .because = beantwortet mit der Lösung eines gelösten Falls oder mit dem, was dem Bot gesagt wurde
outcome-suggested = vorgeschlagen
    .because = beantwortet mit dem, was vorgeschlagen und nicht bestätigt wurde
outcome-tracked = bekannt
    .because = beantwortet damit, dass das Problem bekannt und nicht gelöst ist
outcome-pointed = Ähnliches gezeigt
    .because = der Bot wurde beim Namen gefragt und zeigte die nächsten Fälle
outcome-unknown = unbekannt
    .because = der Bot wurde beim Namen gefragt und antwortete, dass darüber nichts bekannt ist
outcome-steered = Anweisung
    .because = dem Bot wurde etwas gesagt, und er tat es
outcome-refused = abgelehnt
    .because = dem Bot wurde etwas gesagt, das er für den, der es sagt, nicht tut
outcome-rated = Bewertung
    .because = hier steht, ob eine Antwort half
outcome-not_configured = nicht eingerichtet
    .because = der Kanal hat keinen aktiven Admin, darum wird in ihm nichts gesagt
outcome-muted = stumm
    .because = der Kanal will keine Antworten, oder nur für den, der beim Namen fragt
outcome-statement = Aussage
    .because = es wird nichts gefragt, oder jemand anderes wird gefragt
outcome-noise = Rauschen
    .because = darin ist nichts zu beantworten
outcome-withdrawn = zurückgenommen
    .because = es wurde vor einer Antwort zurückgenommen oder geändert
outcome-too_late = zu spät
    .because = es wurde vor zu langer Zeit gesagt
outcome-answered_by_person = ein Mensch antwortete
    .because = ein Mensch antwortete zuerst
outcome-repeated = Wiederholung
    .because = dieselbe Antwort wurde hier vor kurzem gegeben
outcome-too_many = zu viele
    .because = der Kanal hatte so viele Antworten, wie er in dieser Zeit haben darf
outcome-nothing_found = nichts gefunden
    .because = kein Fall hat ein Wort mit der Frage gemeinsam
outcome-nothing_close = nichts Nahes
    .because = kein Fall ist nahe genug an der Frage
outcome-nothing_answers = Suche nicht erreichbar
    .because = weder der Index noch die Tabellen lassen sich jetzt durchsuchen
outcome-search_failed = Suche gescheitert
    .because = die Suche ist gescheitert
outcome-silent = Schweigen
set-asked = alles, was gefragt wurde
set-unanswered = was niemand beantworten konnte
set-answered = was beantwortet wurde

## Was eine Antwort wert war, und wer das sagt

worth-worked = half
worth-failed = half nicht
worth-partial = half teilweise
worth-unknown = unbekannt
says-asker = das sagt, wer gefragt hat
says-asked-again = wer gefragt hat, fragt dasselbe noch einmal und sagt nichts zur Antwort
says-others = das sagen die meisten anderen, die etwas dazu sagen
says-correction = ein Admin gab dem Fall eine andere Lösung
says-nobody = niemand sagt mehr etwas dazu
withdrawn-question-redacted = die Frage wurde gelöscht
withdrawn-case-corrected = der Fall, aus dem sie kam, wurde berichtigt
withdrawn-case-erased = der Fall, aus dem sie kam, wurde gelöscht
withdrawn-memory-erased = was sie sagt, sollte vergessen werden

## Wer etwas getan hat

actor-operator = ein Betreiber
actor-program = das Programm { $name }
actor-in-room = ein Admin im Raum
actor-who-may = jemand, der das darf

## Die Startseite eines Bereichs und sein Bericht

home-title = Was in { $space } gefragt wird
home-asked = Gefragt
home-answered = Beantwortet
home-person-quicker = Ein Mensch war schneller
home-nothing-known = Nichts war bekannt
home-week-before = { $count } in der Woche davor
home-nothing-waits = Nichts wartet. Was von jetzt an gefragt und nicht beantwortet wird, steht hier.
home-waiting = Öffnen Sie eine und schreiben Sie die Antwort: Wer so fragt, bekommt sie von da an.
home-became = Was in den letzten sieben Tagen aus dem Gesagten wurde
home-nothing-said = In diesen zwei Wochen wurde nichts live gesagt. Importierte Geschichte wird nicht beantwortet.
home-this-week = Diese Woche
home-before = Davor
home-most-asked = Was in den letzten sieben Tagen am meisten gefragt wurde
home-counts = In dieser Woche: { $messages }; { $cases } gefunden, { $solved } gelöst.
home-week = Die Woche auf einer Seite
unanswered-title = Was niemand beantworten konnte
report = Bericht
report-days = Tage
report-what = was
report-earlier = davor
report-before = davor { $count }
report-became = Was aus dem Gesagten wurde
report-most-asked = Was am meisten gefragt wurde
report-more = Und { $count } weitere.
report-messages = Nachrichten
report-people = Menschen, die schrieben
report-questions = Fragen
report-answered = beantwortet
report-by-person = ein Mensch antwortete zuerst
report-nothing-known = nichts bekannt
report-worked = Antworten, die halfen
report-failed = Antworten, die nicht halfen
report-found = gefundene Fälle
report-solved = gelöste Fälle
report-time = mittlere Zeit bis zur Lösung (Median)
report-tokens = Tokens des Modells

## Fragen

no-such-questions = Solche Fragen gibt es nicht.
question-one = Eine Frage
question-because = Ergebnis: { $outcome } – { $because }.
question-turn = Anfrage { $turn }. Mehr sagt `threadlore answers why`.
read-with-it = mit ihr gelesen ({ $because })
context-anchor = sie antwortet darauf
context-snapshot = sie antwortet darauf
context-chain = worauf jene antwortet
context-mention = die Schreibenden nennen einander
context-thread = dasselbe Gespräch
context-own = von derselben Person
context-near = kurz davor
answer-it = Antworten Sie
answer-it-better = Antworten Sie besser
rate-it = Was sagen Sie dazu?
rate-helped = Es half
rate-failed = Es ist falsch oder half nicht
rated-helped = Sie sagen, dass es half.
rated-failed = Sie sagen, dass es falsch ist oder nicht half.
rate-back = Das zurücknehmen
teach-label = Wer so fragt, bekommt das zu hören, mit Ihrem Wort als Admin:
teach-button = Diese Antwort merken
what-the-bot-said = Was der Bot sagte
case-it-is-from = der Fall, aus dem sie ist
told-this = Das wurde dem Bot gesagt.
taken-back = zurückgenommen: { $why }
delivery-posting = wird von { $gateway } gesendet
delivery-posted = gesendet von { $gateway } { $at }
delivery-not-posted = konnte von { $gateway } nicht gesendet werden { $at }: { $reason }
delivery-taking-back = wird von { $gateway } zurückgenommen
delivery-took-back = zurückgenommen von { $gateway } { $at }
delivery-not-taken-back = konnte von { $gateway } nicht zurückgenommen werden { $at }: { $reason }
delivery-no-reason = ein Grund ist nicht bekannt
compared-with = Die Fälle, mit denen sie verglichen wurde
compared-scale = Nähe und Chance sind von 1000; eine Antwort braucht eine Nähe von 450.
what-the-log-says = Was das Log sagt

## Fragen stellen

ask-it = Fragen
ask-about = Was der Bot wüsste, aus allen Kanälen dieses Bereichs. In keinem Chat sieht das jemand.
ask-silent = Er würde nichts sagen: { $why }.
ask-looked-up = Eben nachgesehen: { $tool }
ask-from = Aus { $case }
ask-nearest = Am nächsten, und keine Antwort
ask-how = Wie es gefunden wurde
ask-chances = Chancen nach { $model }, höchstens { $wrong } von 100 Antworten falsch, { $cases } Fälle verglichen.
ask-found = Nähe { $close }, Chance { $chance } von 1000, durch
degraded-model = das Modell antwortet nicht, darum wurde der Index nur nach Wörtern durchsucht
degraded-gate = das lesende Modell antwortet nicht, darum entschieden die Regeln, ob es eine Frage ist
degraded-remark = das lesende Modell antwortet nicht, darum entschieden die Regeln, ob es etwas über eine Antwort sagt
degraded-rewrite = das umschreibende Modell antwortet nicht, darum wurde die Frage gesucht, wie sie ist
degraded-reranker = das ordnende Modell antwortet nicht, darum sind die Fälle so nahe wie ohne es
degraded-reader = das lesende Modell antwortet nicht, darum wählten die Regeln
degraded-tool = ein Werkzeug antwortet nicht, darum entschied das lesende Modell ohne es
degraded-budget = die Tokens des Tages fürs Lesen sind verbraucht, darum wählten die Regeln
degraded-index = der Index antwortet nicht, darum wurden Wörter in den Tabellen gesucht
degraded-tables = die Tabellen antworten nicht, darum war nichts zu finden

## Fälle

status-open = offen
status-solved = gelöst
status-archived = archiviert
status-merged = zusammengelegt
status-erased = gelöscht
part-problem = Problem
part-solution = Lösung
part-suggestion = Vorschlag
part-context = Zusammenhang
no-such-cases = Solche Fälle gibt es nicht.
cases-nearest = Die nächsten zu diesen Wörtern, der nächste zuerst.
cases-all = Alle Fälle
with-a-suggestion = mit einem Vorschlag
suggestion-unconfirmed = Vorschlag, den niemand bestätigte
case-answers = Antworten aus ihm: { $worked } halfen, { $failed } nicht
case-merged-into = der Fall, mit dem er zusammengelegt wurde
case-messages = Die Nachrichten, aus denen er kommt
case-happened = Was mit ihm geschah
case-without-effect = (ohne Wirkung: { $why })
case-version = Version { $version }, gefunden von { $engine }, { $link }
case-why = Warum er { $status } ist
counts-no-more = zählt nicht mehr
of-merged = aus einem Fall, der mit ihm zusammengelegt wurde
change-title = Ändern Sie ihn
correct-label = Die Lösung, die Menschen von jetzt an hören. Was am letzten Tag mit der alten beantwortet wurde, wird zurückgenommen.
correct-it = Berichtigen
archive-label = Er ist veraltet: Keine Antwort benutzt ihn mehr. Seine Texte bleiben, und eine Berichtigung holt ihn zurück.
archive-it = Archivieren
merge-label = Er ist über dasselbe Problem wie ein anderer Fall seines Kanals, der von jetzt an für beide steht. Einer der nächsten, oder die Adresse eines anderen:
merge-it = Zusammenlegen
split-label = Er ist über ein anderes Problem als der Fall, mit dem er zusammengelegt wurde.
split-it = Für sich stehen lassen
erase-sure = Seine Texte sollen für immer weg sein: Niemand hört sie wieder, und niemand kann sie zurückholen.
erase-it = Löschen
why-solved = gelöst wurde er durch { $signal }
why-confirmed = jemand bestätigte ihn durch eine Reaktion
why-suggested = jemand schlug eine Antwort vor, und niemand bestätigte sie
why-open = nichts im Chat zeigt, was ihn löste
why-archived = er blieb zu lange offen, oder jemand, der das darf, archivierte ihn
why-merged = er hat dasselbe Problem wie { $case }, der für beide steht
why-merged-somewhere = er hat dasselbe Problem wie ein anderer Fall, der für beide steht
why-erased = seine Wörter dürfen nicht aufbewahrt werden: warum, sagt `threadlore cases show`
why-reacted = { $who } reagierte mit { $emoji }
signal-admin = das Wort eines Admins
signal-reaction = eine zustimmende Reaktion auf die Antwort
signal-thanks = Dank oder Bericht dessen, der fragte
signal-thread-end = das Ende des Gesprächs nach der Antwort (schwach)
note-admin = keine Nachricht dieses Kanals sagt das
note-reaction = die Reaktion steht nicht mehr
note-thanks = die Nachricht, die das sagt, ist nicht mehr im Fall
note-thread-end = niemand sagte, dass es half: Es ist das schwächste Zeichen
happened-opened = offen gefunden von { $engine }
happened-suggested = mit einem Vorschlag gefunden von { $engine }
happened-disproved = das Vorgeschlagene erwies sich als falsch, sagt { $engine }
happened-solved = gelöst durch { $signal }, sagt { $engine }
happened-solved-by-word = gelöst durch das Wort: { $who }
happened-confirmed = bestätigt von { $who } mit { $emoji }
happened-withdrew = { $who } nahm { $emoji } zurück
happened-expired = abgelaufen: Er blieb zu lange offen
happened-archived = archiviert: { $who } sagte, dass er veraltet ist
happened-redacted = gelöscht: Eine Nachricht, die er zitiert, wurde entfernt
happened-edited = gelöscht: Eine Nachricht, die er zitiert, wurde geändert
happened-erased = gelöscht: { $who } bat darum
happened-merged = zusammengelegt mit { $case }: { $who } sagte das
happened-merged-alike = zusammengelegt mit { $case }: Ihre Probleme gleichen sich zu { $alike } von 1000 ({ $by })
happened-joined = { $case } wurde mit ihm zusammengelegt: { $who } sagte das
happened-joined-alike = { $case } wurde mit ihm zusammengelegt: Ihre Probleme gleichen sich zu { $alike } von 1000 ({ $by })
happened-split = die Zusammenlegung wurde aufgehoben
happened-split-by = die Zusammenlegung wurde aufgehoben: { $who }

## Gedächtnis

tier-patterns = Immer wieder gefragt und für immer aufbewahrt
tier-history = Im letzten Monat gefragt
tier-working = Am letzten Tag gefragt und noch nicht entschieden
memory-all = Alles
memory-told = Was ihm gesagt wurde
memory-nothing = Noch nichts. Sagen Sie dem Bot „merk dir, dass …“, oder schreiben Sie es hier.
memory-label = Das merken und allen sagen, die den Kanal lesen können:
memory-always = Ein lesendes Chatmodell soll es bei jeder Frage wissen
memory-model-knows = ein Modell weiß es bei jeder Frage
memory-gone = Was nicht mehr gesagt wird
remember-it = Merken
bring-it-back = Zurückholen
bring-back-this = Zurückholen: { $text }
forget-it = Vergessen
forget-this = Vergessen: { $text }
say-it-otherwise = Anders sagen
say-it-so = So sagen
other-words-of = Andere Wörter für: { $text }
told-to-one = wird nur gesagt, wer es selbst sagte
told-to-all = wird allen gesagt
archived-replaced = ersetzt
archived-full = verdrängt
archived-expired = abgelaufen
archived-failed = half nicht

## Menschen

people = Menschen
people-what = Was es in diesem Bereich von einem Menschen gibt, gefunden über seine Kennung auf der Plattform. In einem Kanal führen auch die Namen hierher.
people-unknown = Niemand mit der Kennung { $id } hat in diesem Bereich etwas geschrieben.
people-platform = Plattform
people-id = Kennung dort
people-find = Suchen
people-one = Einen Menschen suchen
person-wrote = Was er schrieb
person-cases = Fälle mit seinen Worten
person-told = Was er sich merken ließ
person-nothing = Von ihm ist nichts mehr da.
person-forget = Vergessen
person-forget-what = Sein Schlüssel, seine Nachrichten, was er sich merken ließ und die Fälle mit seinen Worten sind endgültig fort. Was er von nun an schreibt, wird nicht behalten, und der Bot antwortet ihm nicht.
person-forget-it = Diesen Menschen vergessen
person-sure = Alles davon soll endgültig fort sein: Niemand kann es zurückholen.
person-mentioned =
    { $count ->
        [one] Eine Nachricht von anderen nennt ihn und bleibt.
       *[other] { $count } Nachrichten von anderen nennen ihn und bleiben.
    }

## Kanäle

channels-none = Noch gibt es keinen: Verbinden Sie eine Plattform, oder holen Sie einen Chat mit `threadlore import`.
channel-no-admin = stumm: kein Admin
channel-off = stumm: ausgeschaltet
channel-answers = beantwortet Fragen
channel-set = eingestellt von { $by } am { $day }
audience-public = jeder kann ihn lesen
audience-space = Mitglieder des Bereichs können ihn lesen
audience-members = was dort gesagt wird, bleibt dort
mode-questions = beantwortet Fragen, an ihn oder an alle
mode-mentions = antwortet, wer ihn beim Namen fragt
mode-off = sagt nichts
channel-bot = Der Bot
channel-readers = Wer hier mitlesen kann
channel-readers-about = Eine Antwort nutzt, was jeder in ihrem Kanal lesen kann.
channel-pages = Seiten für alle
channel-pages-about = Mit Menschen unter anderen Namen; ein Kanal, den nicht jeder lesen kann, hat keine.
channel-publish = seine gelösten Fälle haben Seiten, die jeder lesen kann und Suchmaschinen finden
channel-admins = Admins
channel-admins-about = Ihr Wort zählt: Sie berichtigen, lehren und lassen vergessen. Ohne sie ist der Bot hier stumm.
channel-other-admin = Noch einer, mit der Kennung, die die Plattform für ihn hat
channel-docs = Adressen von Dokumentation, eine je Zeile, für den, der fragt und keine Antwort bekommt
readers-box = Das Fragefeld der veröffentlichten Seiten
readers-let = Fragen lassen
readers-let-about = Wer die veröffentlichten Seiten liest, hat dort kein Feld, um zu fragen. Mit einem fragt jeder ohne Konto; geschlossen wird es auf der Seite des Kanals site:help.
channel-read-only = Sie dürfen das hier lesen und nichts ändern.
its-messages = Was dort gesagt wurde
messages-about = Wer wem antwortet, wie die Regeln es sehen: Nachrichten eines Gesprächs haben eine Linie neben sich und führen zu den Fällen, die daraus wurden.
messages-none = Hier wurde noch nichts gesagt.
messages-bot = ein Bot
messages-answers = antwortet { $name }: { $text }
messages-answers-earlier = antwortet auf eine frühere Nachricht
earlier-ones = Frühere Nachrichten
in-its-channel = Was darum herum gesagt wurde
latest-ones = Zu den neuesten Nachrichten
its-questions = Seine Fragen
its-cases = Seine Fälle

## Einen Chat importieren

import-title = Einen Chat importieren
import-about = Der Export eines Chats, wie ihn Telegram, WhatsApp, Slack, Discord, Element, Zulip, GitHub oder eine Mailingliste schreiben, gepackt oder nicht; oder ein Log von IRC. Was darin gelöst wurde, sind in Minuten Fälle. Dieselbe Datei noch einmal bringt nichts Neues.
import-file = Die Datei, höchstens { $most } MiB
import-more = Wenn es ein Log ist oder Zeiten ohne Zone hat
import-channel = Der Kanal, in den es kommt; ein Export hat eigene Kanäle
import-timezone = Die Zone von Zeiten, die ohne eine geschrieben sind
import-it = Importieren
import-before = Importe, seit dieser Prozess läuft
import-reading = Es wartet oder wird gelesen.
import-taking = Wird übernommen
import-skipped =
    { $lines ->
        [one] { $lines } Zeile war nicht zu gebrauchen: `threadlore import --dry-run` sagt, warum.
       *[other] { $lines } Zeilen waren nicht zu gebrauchen: `threadlore import --dry-run` sagt, warum.
    }
import-cases = Zu den Fällen
import-refused = Nichts wurde übernommen:
import-no-file = Da ist keine Datei, oder sie ist leer.
import-unknown = Das ist kein bekannter Export. Wenn es ein Log von IRC oder JSON-Zeilen sind, sagen Sie, in welchen Kanal es kommt.
import-nothing = Darin ist nichts, was zu gebrauchen wäre.

## Wonach gefragt wird

graph-title = Wonach gefragt wird
graph-about = Wonach zu „{ $subject }“ gefragt wird
graph-subject = Ein Thema
graph-in = In
last-day = dem letzten Tag
last-week = der letzten Woche
last-month = dem letzten Monat
last-all = aller Zeit
graph-counted =
    { $questions ->
        [one] Gezählt sind die letzten { $read } von { $questions } Frage.
       *[other] Gezählt sind die letzten { $read } von { $questions } Fragen.
    }
graph-last = Zuletzt gefragt am { $day }.
answered-by-cases = aus Fällen beantwortet
answered-by-memories = aus dem, was dem Bot gesagt wurde
answered-by-tools = durch Werkzeuge
answered-by-people = durch Menschen
answered-by-nobody = durch niemanden
answered-by-silent = so belassen
graph-nobody = Was davon niemand beantworten konnte
graph-cases = Die Fälle, die es beantworteten
graph-words-beside = Wörter daneben
graph-words-most = Wörter der meisten Fragen
graph-none = Keine. Gezählt werden live gestellte Fragen; importierte Geschichte hat keine.
graph-word = Wort
graph-by-people = Durch Menschen
graph-by-nobody = Durch niemanden
graph-acts = Was der Bot tat, und wie das ausging
graph-who = Wer gefragt wurde
graph-did = Was er tat
graph-times = Male
asked-bot = Der Bot, beim Namen
asked-everybody = Alle
asked-once-more = Alle, noch einmal
asked-unseen = Nicht angesehen

## Zustand der Installation

health-nothing-waits = Nichts wartet: Jede Gruppe hat alle Einträge genommen.
health-waiting =
    { $records ->
        [one] { $records } Eintrag wartet.
       *[other] { $records } Einträge warten.
    }
health-again = Alle fünf Sekunden neu laden
health-not-again = Nicht mehr von selbst neu laden
health-group = Gruppe
health-records = Wartende Einträge
health-drawn = Dasselbe, gezeichnet
health-tables = Tabellen
health-people = Wer diese Installation betreut
health-letters = Unzustellbares
health-no-letters = Nichts.
health-reasons = Jedes mit seinem Grund, und ein neuer Versuch

## Unzustellbares

letters = Unzustellbares
letters-what = Einträge, die eine Rolle nicht verarbeiten konnte, und Aufrufe, die endgültig misslangen. Ist die Ursache behoben, lässt es sich einzeln noch einmal versuchen; wer das Log neu liest, übergeht den Rest.
letters-none = Nichts.
letters-redriven = noch einmal versucht als { $place }
letters-again = Noch einmal versuchen
letters-all = Alles aus diesem Topic
letters-reason = Nur, was diese Wörter im Grund hat; ohne Wörter alles
letters-all-again = Alles noch einmal versuchen
letters-done = { $redriven } noch einmal versucht, { $already } waren es schon, { $refused } gehen nicht.
letters-more = Und { $count } mehr.
letters-when = Wann
letters-role = Rolle
letters-space = Bereich
letters-key = Schlüssel
letters-source = Eintrag
letters-value = Sein Wert
letters-show-value = Zeigen; er kann Text und Namen von Menschen enthalten

## Tabellen und Replays

replays-title = Tabellen und Replays
replays-what = Jede Tabelle entsteht aus dem Log. Ein Replay baut eine neu neben der gültigen, vergleicht beide Zeile für Zeile, und die neue gilt, wenn sie gleich sind. Es fragt kein Modell, und niemand wartet darauf.
replays-which = Tabellen von
replays-compare-only = nur vergleichen; die neue neben der gültigen aufbewahren
replays-more = Wie sie zu einer Zeit waren
replays-until = Nur mit dem, was vor dieser Zeit im Log war; solche Tabellen gelten nie
replays-begin = Neu bauen
replays-waits = Wartet, bis es an der Reihe ist.
replays-compares = Alles ist gefaltet; beide werden verglichen.
replays-not-done = Das Replay fand nicht statt:
replays-pause = Anhalten
replays-resume = Weitermachen
replays-give-up = Aufgeben
replays-switch = Gelten lassen
replays-drop = Löschen
folded = { $part } von { $whole } Einträgen
folded-of = { $build }, gefaltet
build-under-way = ein Replay füllt ihn
build-paused = sein Replay ist angehalten
build-cut-off = sein Replay wurde abgeschnitten
build-live = gilt
build-as-of = vom { $time }
build-other-version = einer anderen Version
build-kept = aufbewahrt, um zurückzukehren
compared-equal = Gleich g{ $number }
compared-different = Anders als g{ $number }
compared-work = { $events } Ereignisse in { $seconds } s
compared-table = Tabelle
compared-rows = Zeilen
compared-live = Prüfsumme der gültigen
compared-rebuilt = Prüfsumme dieser

## Anmelden und das eigene Konto

sign-in-by-link = Wer die Installation betreut, meldet sich über einen Link an: `threadlore sign-in` druckt einen.
sign-in-no-accounts = Hier hat noch niemand Namen und Passwort: `threadlore user add NAME` gibt jemandem beides. Bis dahin druckt `threadlore sign-in` einen Link.
sign-in-with-name = Mit Namen und Passwort anmelden
sign-in-wrong = Diesen Namen mit diesem Passwort gibt es nicht.
sign-in-forgot = Passwort vergessen? Wer Ihnen das Konto gab, kann Ihnen einen Link schicken, mit dem Sie ein anderes wählen.
sign-in-too-often =
    { $seconds ->
        [one] Das waren zu viele Versuche: Warten Sie { $seconds } Sekunde.
       *[other] Das waren zu viele Versuche: Warten Sie { $seconds } Sekunden.
    }
sign-in-at = Bei { $provider } anmelden
sign-in-go-on = Weiter
sign-in-astray = Dieser Rückweg wurde nicht in diesem Browser begonnen, oder vor mehr als zehn Minuten: Melden Sie sich noch einmal an.
sign-in-refused = { $provider } hat Sie nicht eingelassen.
sign-in-nameless = { $provider } sagt von Ihnen keinen Namen, der hier zählt, etwa eine geprüfte E-Mail-Adresse. Welcher zählt, bestimmt, wer die Installation betreut (`oidc.claim`).
sign-in-no-account = Niemand hat hier ein Konto mit dem Namen { $name }. Wer die Installation betreut, gibt Ihnen eines: `threadlore user add NAME`.
account-signed-in = Sie sind angemeldet als { $name }.
account-old-password = Ihr bisheriges Passwort
account-new-password = Ihr Passwort von jetzt an, mindestens { $least } Zeichen
account-at = Sie melden sich bei { $provider } an und haben hier kein Passwort.
account-elsewhere = Wo Sie sonst angemeldet sind, sind Sie es dann nicht mehr.

## Seiten für alle

solved-questions = Gelöste Fragen
published-of = Gelöste Fragen von { $space }
published-in = Was in { $space } gefragt und gelöst wurde.
published-said = Was gesagt wurde
published-alike = Ähnlich
published-names = Die Menschen dieses Gesprächs haben hier andere Namen. Wer darin schrieb und es weghaben will, bittet, wer den Kanal betreut, oder sagt dort dem Bot: „vergiss mich“.
readers-ask = Etwas fragen
readers-about = Die Antwort kommt sofort, aus dem, was hier gelöst wurde.
readers-kept = Wer diesen Ort betreut, liest Ihre Frage, und ist sie gelöst, kann sie hier unter anderem Namen stehen. Ihr Browser behält dreißig Tage lang eine Nummer, damit er allein Ihre Antworten zeigt; fragen Sie „vergiss mich“, und alles, was Sie gefragt haben, wird gelöscht.
readers-wait = Wer diesen Ort betreut, sieht, dass Ihnen nicht geholfen wurde, und kann antworten. Fragen Sie später noch einmal.
readers-more = Etwas anderes fragen
readers-nothing = Noch ist nichts veröffentlicht.

## Warum etwas abgelehnt wird

refused-not-there = Nicht hier
refused-bad = So geht das nicht
refused-too-large = Das ist zu viel
    .sentence = Es wurde mehr gesendet, als hier gelesen wird: Kürzen Sie den Text, oder senden Sie weniger auf einmal.
refused-too-many-questions = Zu viele Fragen
    .sentence = Gerade kommen so viele Fragen, dass Ihre nicht angenommen wurde: Senden Sie sie in einer Minute noch einmal.
refused-lacks = Nicht erlaubt
    .ingest = Sie dürfen hierher keine Nachrichten senden: Dazu braucht es das Recht `ingest`.
    .ask = Sie dürfen hier nicht fragen: Dazu braucht es das Recht `ask`.
    .read = Sie dürfen das nicht lesen: Dazu braucht es das Recht `read`.
    .admin = Sie dürfen hier nichts ändern: Dazu braucht es das Recht `admin`.
    .page-of-others = Das wurde von einer fremden Seite gesendet, darum wurde nichts geändert. Tun Sie es auf diesen Seiten.
    .address = Das ist nicht die Adresse dieser Seiten: Öffnen Sie sie als localhost oder 127.0.0.1, oder unter der Adresse aus `api.public_url`.
    .operator = Hier geht es um die ganze Installation: Dafür braucht es das Recht `admin` im Bereich `system`.
    .no-password = Wer sich über einen Link anmeldet, hat kein Passwort: Diese Seite ist für Menschen mit einem Konto.
refused-busy = Nicht zugleich
refused-waits = Es steht im Log
    .sentence = Was erbeten wurde, ist aufbewahrt und wurde in zehn Sekunden nicht getan. Es wird getan, sobald die Rollen laufen, die das tun, und aufgeholt haben: Senden Sie es nicht noch einmal.
refused-sign-in = Melden Sie sich an
    .sentence = Diese Seiten zeigen, was Menschen schrieben, darum sind sie für den, der diese Installation betreut, und für Menschen mit einem Konto. Öffnen Sie den Link, den `threadlore up` beim Start druckte, oder lassen Sie einen neuen drucken: `threadlore sign-in`.
refused-not-yet = Noch nicht
    .sentence = Der Prozess startet oder endet: Versuchen Sie es gleich noch einmal.
refused-away = Jetzt nicht
    .sentence = Die Datenbank oder das Log antwortet jetzt nicht: Versuchen Sie es gleich noch einmal. Was gesendet wurde, kann angekommen sein; sehen Sie nach, bevor Sie es noch einmal senden.
refused-provider = Niemand wurde angemeldet
    .sentence = Wo man sich anmeldet, kam jetzt keine Antwort, oder keine, der zu trauen ist: Versuchen Sie es noch einmal. Das Log von threadlore auf der Standardfehlerausgabe sagt mehr.
refused-failed = Etwas ist kaputt
    .sentence = Das ist ein Fehler von threadlore, und sein Log auf der Standardfehlerausgabe sagt mehr.
refused-link = Diesem Link wurde schon gefolgt, oder er ist älter als zehn Minuten, oder er wurde beim Kopieren gekürzt. `threadlore sign-in` druckt einen neuen.
refused-no-page = Diese Seite gibt es nicht.
refused-not-published = Diese Seite gibt es nicht, oder ihr Kanal ist nicht veröffentlicht. Wer den Bereich betreut, findet den Fall nach dem Anmelden.
refused-after = `after` nennt nichts in diesem Bereich: Es muss sein, was eine Seite als `next` hat.
refused-no-space = Einen Bereich „{ $name }“ gibt es hier nicht.
refused-no-channel = Einen Kanal „{ $name }“ gibt es in diesem Bereich nicht.
refused-no-outcome = Ein Ergebnis „{ $name }“ gibt es nicht: docs/outcomes.md hat sie alle.
refused-rating = Es gibt keine Bewertung „{ $rating }“: sie ist helped, failed, oder leer, um sie zurückzunehmen.
refused-cookies = Ihr Browser hat kein Cookie von uns gesendet, so ließe sich die Antwort nicht Ihnen allein zeigen: Erlauben Sie Cookies dieser Seite, öffnen Sie sie noch einmal, und fragen Sie.
refused-no-answer-yet = Hier steht keine Antwort für diesen Browser. Wenn Sie eben gefragt haben, sehen Sie gleich noch einmal nach.
refused-forgotten = Sie wollten vergessen werden, darum wird nichts aufbewahrt oder beantwortet, was dieser Browser sendet. Wollen Sie trotzdem fragen, löschen Sie das Cookie dieser Seite, und öffnen Sie sie noch einmal.
refused-no-state = Einen Stand „{ $name }“ hat kein Fall.
refused-no-tier = Eine Stufe „{ $name }“ des Gedächtnisses gibt es nicht.
refused-no-topic = Zu „{ $name }“ gibt es nichts Unzustellbares.
refused-no-projection = Es gibt keine Projektion „{ $name }“.
refused-time = „{ $time }“ ist keine Zeit: Schreib eine wie 2026-11-23T08:00:00Z.
refused-no-case = Diesen Fall gibt es in diesem Bereich nicht.
refused-no-other-case = Diesen Fall gibt es in diesem Bereich nicht: Nennen Sie ihn mit seinem Link oder seiner Kennung.
refused-no-question = Diese Frage gibt es in diesem Bereich nicht.
refused-no-letter = In diesem Bereich gibt es nichts Unzustellbares unter dieser Adresse.
refused-no-person = Niemand mit dieser Kennung hat in diesem Bereich etwas geschrieben.
refused-no-build = Es gibt keinen Stand mit dieser Nummer.
refused-no-memory = Unter dieser Kennung ist nichts gemerkt.
refused-length = der Text hat { $characters } Zeichen, und nötig sind 1 bis { $most }: Ihn bekommen Menschen zu hören
refused-case-erased = Dieser Fall ist gelöscht: Seine Texte sind für immer weg, zu berichtigen ist nichts.
refused-question-erased = Die Wörter dieser Frage sind gelöscht, darum kann niemandem gesagt werden, was sie fragte.
refused-exchange = Ein Austausch hat keine eigenen Wörter, die man vergessen kann: Löschen Sie seinen Fall, oder lassen Sie die Frage löschen.
refused-not-sure = Nichts wurde gelöscht: Kreuzen Sie an, dass die Texte für immer weg sein sollen.
refused-form = Das ist nicht das Formular dieser Seite ({ $what }): Öffnen Sie sie noch einmal.
refused-address = „{ $address }“ ist keine Adresse von Dokumentation: Sie beginnt mit https:// oder http://.
refused-publish = Er ist nicht veröffentlicht, und sonst wurde nichts geändert, weil nicht jeder ihn lesen kann: Sagen Sie, dass jeder es kann, oder veröffentlichen Sie ihn nicht.

## Einstellungen der Installation

settings = Einstellungen
settings-what = Womit der Prozess läuft, der diese Seite liefert. Eine Einstellung ändert man in der Datei oder der Umgebung eines Prozesses, der sie beim Start liest. Geheimes wird nicht gezeigt.
settings-version = Version
settings-roles = Rollen:
settings-set = Hier gesetzt
settings-none-set = Nichts: Alle Einstellungen haben ihre Vorgaben.
settings-tables = Alle Einstellungen, nach Tabellen
settings-top = Anfang der Datei
settings-nothing = nichts
settings-default = Die Vorgabe ist
settings-no-table = Es gibt keine Einstellungen mit dem Namen { $name }.

## Tokens

tokens = Tokens von Programmen
tokens-what = Ein Programm, das die HTTP-API nutzt, ein eigenes Gateway oder ein Assistent schickt mit jeder Anfrage ein Token. Jedes gilt nur für diesen Bereich und darf, was angekreuzt ist. Ein widerrufenes gilt nach spätestens fünf Sekunden nicht mehr.
tokens-none = Noch keine.
tokens-made = Das Token von { $name }
tokens-once = Jetzt kopieren: Es wird nicht aufbewahrt und nicht noch einmal gezeigt.
tokens-new = Noch ein Token
tokens-name = Wie es heißt
tokens-may = Was es darf
tokens-days = Wie viele Tage es gilt
tokens-make = Anlegen
tokens-until = gilt bis { $time }
tokens-ran-out = abgelaufen
tokens-revoked = widerrufen { $time }
tokens-used = zuletzt benutzt { $time }
tokens-not-used = noch nicht benutzt
tokens-made-by = von { $by }, { $time }
tokens-revoke = Widerrufen
right-ingest = Nachrichten schicken
right-ask = fragen
right-read = lesen
right-admin = ändern, was hier ist
refused-token-name = Ein Token hat einen Namen von 1 bis 100 Zeichen, ohne Steuerzeichen.
refused-no-rights = Ohne ein Recht nützt das nichts: Wählen Sie mindestens eines.
refused-days = Ein Token gilt 1 bis 3.650 Tage, verlangt waren { $days }.
refused-no-token = In diesem Bereich gibt es kein solches Token.

## Konten

accounts = Konten von Menschen
accounts-what = Wer sich auf diesen Seiten anmelden und in diesem Bereich etwas tun darf. Alle haben ein Konto mit einem Namen und wählen über einen Link ihr Passwort. Entzogene Rechte gelten nach spätestens fünf Sekunden nicht mehr.
accounts-provider = Wer hier ein Konto hat, kann sich auch bei { $provider } anmelden und braucht dann kein Passwort.
accounts-link-of = Ein Link für { $name }
accounts-link-what = Schicken Sie ihn nur diesem Menschen: Wer ihn hat, wählt mit ihm das Passwort, einmal. Er gilt bis { $time }.
accounts-none = Noch keine. Wer die Installation betreut, meldet sich mit einem Link an.
accounts-give = Jemandem Rechte geben
accounts-name = Wie das Konto heißt
accounts-signs = Kleinbuchstaben, Ziffern und . _ - + @, zum Beispiel eine E-Mail-Adresse. Wer schon ein Konto hat, behält das Passwort.
accounts-may = Was erlaubt ist
accounts-signed-in = zuletzt angemeldet { $time }
accounts-not-yet = noch nicht angemeldet
accounts-no-password = noch kein Passwort
accounts-given-by = von { $by }, { $time }
accounts-change = Ändern
accounts-link = Link für ein neues Passwort
accounts-remove = Rechte entziehen
join = Wählen Sie Ihr Passwort
join-what = Sie haben hier das Konto { $name }. Mit diesem Namen und dem Passwort, das Sie jetzt wählen, melden Sie sich von nun an an.
join-do = Wählen und hineingehen
refused-account-name = Ein Konto hat einen Namen aus 1 bis 100 der Zeichen a–z, 0–9, „.“, „_“, „-“, „+“ und „@“.
refused-account-ingest = Seiten schicken keine Nachrichten, also braucht dort niemand das Recht „ingest“: Es ist für Tokens von Programmen.
refused-no-account = Kein Konto mit diesem Namen hat Rechte in diesem Bereich.
refused-account-link = Das Passwort dieses Kontos können Sie nicht ersetzen: Es ist Ihr eigenes, oder es darf etwas, was Sie nicht dürfen. Das eigene ändert man hinter seinem Namen oben auf der Seite.
refused-password = Ein Passwort hat { $least } bis { $most } Bytes.
refused-invitation = Dieser Link wurde schon benutzt, ist älter als sieben Tage, wurde beim Kopieren abgeschnitten, oder Ihre Rechte sind seitdem andere. Fragen Sie dort, wo Sie ihn bekommen haben, nach einem neuen.
refused-password-changed = Ihr Passwort wurde im selben Augenblick anderswo geändert: Melden Sie sich neu an.
