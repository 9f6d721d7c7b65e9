# Слова страниц по-русски. Имена те же, что в en.ftl.

## Всюду

pages = Страницы
skip = К содержанию
language = Язык
health = Состояние
space = пространство { $name }
spaces = Пространства
sign-in = Вход
sign-out = Выйти
account = Ваша учётная запись
name = Имя
password = Пароль
show = Показать
show-more = Показать больше
search = Искать
save = Сохранить
change-it = Изменить
all = все
all-of-them = Все { $count }
shown-of = { $shown } из { $fitting }.
shown-of-more = { $shown } из { $fitting } или больше.
first-ones = К началу
next-ones = Дальше
which = Какие
words = Слова
state = Состояние
channel = Канал
topic = Топик
outcome = Исход
because = Почему
somebody = кто-то
nameless = кто-то, чьё имя неизвестно
erased = (стёрто)
case = Случай
question = Вопрос
problem = Проблема
solution = Решение
closeness = Близость
chance = Шанс
worked = Помогло
failed = Не помогло
published = опубликован
place-home = Главная
place-questions = Вопросы
place-cases = Случаи
place-graph = Темы
place-memory = Память
place-channels = Каналы
place-ask = Спросить

## Числа

bytes =
    { $count ->
        [one] { $count } байт
        [few] { $count } байта
        [many] { $count } байт
       *[other] { $count } байта
    }
messages-or-more = { $count } сообщений или больше
messages =
    { $count ->
        [one] { $count } сообщение
        [few] { $count } сообщения
       *[many] { $count } сообщений
    }
questions =
    { $count ->
        [one] { $count } вопрос
        [few] { $count } вопроса
       *[many] { $count } вопросов
    }
answers =
    { $count ->
        [one] { $count } ответ
        [few] { $count } ответа
       *[many] { $count } ответов
    }
cases =
    { $count ->
        [one] { $count } случай
        [few] { $count } случая
       *[many] { $count } случаев
    }
admins =
    { $count ->
        [one] { $count } администратор
        [few] { $count } администратора
       *[many] { $count } администраторов
    }
days =
    { $count ->
        [one] { $count } день
        [few] { $count } дня
       *[many] { $count } дней
    }
confirmed-by =
    { $reactions ->
        [one] подтверждён { $reactions } реакцией
       *[many] подтверждён { $reactions } реакциями
    }
quoted-by =
    { $answers ->
        [one] процитировано в { $answers } ответе
       *[many] процитировано в { $answers } ответах
    }
worked-failed = помогло: { $worked }, не помогло: { $failed }
worked-of = помогло { $worked } из { $uses }
helped-failed = помогло: { $helped }, не помогло: { $failed }
say-helped-failed = говорят, что помогло: { $helped }, что нет: { $failed }
closeness-of = близость { $close } из 1000

## Что стало со сказанным: слово и причина

outcome-answered = отвечено
    .because = дан ответ решением решённого случая или тем, что боту сказали запомнить
outcome-suggested = предложено
    .because = дан ответ тем, что предлагали и не подтвердили
outcome-tracked = известно
    .because = дан ответ, что проблема известна и не решена
outcome-pointed = указано на похожее
    .because = бота спросили по имени, и он показал ближайшие случаи
outcome-unknown = неизвестно
    .because = бота спросили по имени, и он ответил, что об этом ничего не известно
outcome-steered = указание
    .because = боту дали указание, и он его выполнил
outcome-refused = отказ
    .because = боту сказали то, чего он не делает для того, кто это говорит
outcome-rated = оценка
    .because = здесь сказано, помог ли ответ
outcome-not_configured = не настроено
    .because = у канала нет активного администратора, поэтому в нём ничего не говорится
outcome-muted = заглушено
    .because = канал не хочет ответов или хочет только тех, о которых просят по имени
outcome-statement = утверждение
    .because = ничего не спрашивают или спрашивают кого-то другого
outcome-noise = шум
    .because = отвечать тут не на что
outcome-withdrawn = отозвано
    .because = сообщение забрали или изменили до ответа
outcome-too_late = слишком поздно
    .because = это сказано слишком давно
outcome-answered_by_person = ответил человек
    .because = человек ответил первым
outcome-repeated = повтор
    .because = тот же ответ был дан здесь совсем недавно
outcome-too_many = слишком много
    .because = канал уже получил столько ответов, сколько можно за это время
outcome-nothing_found = ничего не найдено
    .because = ни в одном случае нет слов вопроса
outcome-nothing_close = ничего близкого
    .because = ни один случай недостаточно близок к вопросу
outcome-nothing_answers = поиск недоступен
    .because = сейчас нельзя искать ни в индексе, ни в таблицах
outcome-search_failed = поиск не удался
    .because = поиск не удался
outcome-silent = молчание
set-asked = всё, о чём спросили
set-unanswered = на что никто не смог ответить
set-answered = на что ответили

## Чего стоил ответ и кто это говорит

worth-worked = помогло
worth-failed = не помогло
worth-partial = помогло отчасти
worth-unknown = неизвестно
says-asker = так говорит тот, кто спросил
says-asked-again = тот, кто спросил, снова спрашивает о том же и ничего об ответе не говорит
says-others = так говорит большинство других, кто высказался
says-correction = администратор дал случаю другое решение
says-nobody = никто больше об этом ничего не говорит
withdrawn-question-redacted = вопрос удалили
withdrawn-case-corrected = случай, из которого он взят, исправили
withdrawn-case-erased = случай, из которого он взят, стёрли
withdrawn-memory-erased = то, что он сообщает, велели забыть

## Кто что-то сделал

actor-operator = оператор
actor-program = программа { $name }
actor-in-room = администратор в комнате
actor-who-may = тот, кому это можно

## Главная страница пространства и отчёт

home-title = О чём спрашивают в { $space }
home-asked = Спросили
home-answered = Отвечено
home-person-quicker = Человек был быстрее
home-nothing-known = Ничего не было известно
home-week-before = неделей раньше: { $count }
home-nothing-waits = Ничего не ждёт. Здесь появится всё, о чём спросят и не получат ответа.
home-waiting = Откройте вопрос и напишите ответ: с этого момента его получит каждый, кто спросит о том же.
home-became = Что стало со сказанным за последние семь дней
home-nothing-said = За эти две недели вживую ничего не сказано. На импортированную историю бот не отвечает.
home-this-week = Эта неделя
home-before = До неё
home-most-asked = О чём спрашивали чаще всего за последние семь дней
home-counts = За эту неделю: { $messages }; найдено: { $cases }, решено: { $solved }.
home-week = Неделя на одной странице
unanswered-title = На что никто не смог ответить
report = Отчёт
report-days = Дней
report-what = что
report-earlier = до того
report-before = до того { $count }
report-became = Что стало со сказанным
report-most-asked = О чём спрашивали чаще всего
report-more = И ещё { $count }.
report-messages = сообщения
report-people = люди, которые писали
report-questions = вопросы
report-answered = отвечено
report-by-person = человек ответил первым
report-nothing-known = ничего не известно
report-worked = ответы, которые помогли
report-failed = ответы, которые не помогли
report-found = найдено случаев
report-solved = решено случаев
report-time = среднее (медианное) время до решения
report-tokens = токены модели

## Вопросы

no-such-questions = Таких вопросов нет.
question-one = Вопрос
question-because = Исход: { $outcome } — { $because }.
question-turn = Обращение { $turn }. Больше скажет `threadlore answers why`.
read-with-it = прочитано вместе с ним ({ $because })
context-anchor = это ответ на него
context-snapshot = это ответ на него
context-chain = на что отвечает то сообщение
context-mention = авторы называют друг друга
context-thread = тот же разговор
context-own = того же автора
context-near = незадолго до того
answer-it = Ответьте на него
answer-it-better = Ответьте лучше
rate-it = Что вы об этом скажете?
rate-helped = Помогло
rate-failed = Это неверно или не помогло
rated-helped = Вы говорите, что это помогло.
rated-failed = Вы говорите, что это неверно или не помогло.
rate-back = Взять это назад
teach-label = Каждый, кто спросит о том же, услышит это с вашим словом администратора:
teach-button = Запомнить этот ответ
what-the-bot-said = Что сказал бот
case-it-is-from = случай, из которого это взято
told-this = Боту сказали это запомнить.
taken-back = отозвано: { $why }
delivery-posting = { $gateway } отправляет
delivery-posted = отправлено через { $gateway } { $at }
delivery-not-posted = { $gateway } не смог отправить { $at }: { $reason }
delivery-taking-back = { $gateway } отзывает
delivery-took-back = отозвано через { $gateway } { $at }
delivery-not-taken-back = { $gateway } не смог отозвать { $at }: { $reason }
delivery-no-reason = причина неизвестна
compared-with = Случаи, с которыми его сравнили
compared-scale = Близость и шанс — из 1000; для ответа нужна близость 450.
what-the-log-says = Что говорит журнал

## Спросить

ask-it = Спросить
ask-about = Что знал бы бот, из всех каналов этого пространства. В чатах этого никто не увидит.
ask-silent = Бот промолчал бы: { $why }.
ask-looked-up = Узнано прямо сейчас: { $tool }
ask-from = Из случая { $case }
ask-nearest = Ближайшее, но не ответ
ask-how = Как это найдено
ask-chances = Шансы по { $model }, неверных ответов не больше { $wrong } из 100, сравнено случаев: { $cases }.
ask-found = близость { $close }, шанс { $chance } из 1000, по
degraded-model = модель не отвечает, поэтому в индексе искали только по словам
degraded-gate = читающая модель не отвечает, поэтому вопрос ли это, решили правила
degraded-remark = читающая модель не отвечает, поэтому говорит ли это что-то об ответе, решили правила
degraded-rewrite = переписывающая модель не отвечает, поэтому вопрос искали как есть
degraded-reranker = ранжирующая модель не отвечает, поэтому близость случаев — без неё
degraded-reader = читающая модель не отвечает, поэтому выбирали правила
degraded-tool = инструмент не отвечает, поэтому читающая модель решила без него
degraded-budget = дневной запас токенов на чтение израсходован, поэтому выбирали правила
degraded-index = индекс не отвечает, поэтому искали слова в таблицах
degraded-tables = таблицы не отвечают, поэтому ничего найти нельзя

## Случаи

status-open = открыт
status-solved = решён
status-archived = в архиве
status-merged = объединён
status-erased = стёрт
part-problem = проблема
part-solution = решение
part-suggestion = предложение
part-context = контекст
no-such-cases = Таких случаев нет.
cases-nearest = Ближайшие к этим словам, сначала самые близкие.
cases-all = Все случаи
with-a-suggestion = есть предложение
suggestion-unconfirmed = Предложение, которое никто не подтвердил
case-answers = ответы из него: помогло { $worked }, не помогло { $failed }
case-merged-into = случай, с которым он объединён
case-messages = Сообщения, из которых он взят
case-happened = Что с ним было
case-without-effect = (без последствий: { $why })
case-version = Версия { $version }, нашёл { $engine }, { $link }
case-why = Почему случай { $status }
counts-no-more = больше не считается
of-merged = из случая, который с ним объединён
change-title = Изменить
correct-label = Решение, которое с этого момента услышат люди. То, что за последние сутки ответили по старому, будет отозвано.
correct-it = Исправить
archive-label = Это устарело: ответы им больше не пользуются. Тексты остаются, а исправление вернёт случай.
archive-it = В архив
merge-label = Здесь та же проблема, что в другом случае того же канала, который с этого момента стоит за оба. Один из ближайших или адрес другого:
merge-it = Объединить
split-label = Здесь другая проблема, чем в случае, с которым его объединили.
split-it = Пусть стоит сам по себе
erase-sure = Тексты исчезнут навсегда: никто их больше не услышит и никто не сможет вернуть.
erase-it = Стереть
why-solved = его решило вот что: { $signal }
why-confirmed = кто-то подтвердил его реакцией
why-suggested = кто-то предложил ответ, и никто его не подтвердил
why-open = в чате не видно, что его решило
why-archived = он слишком долго был открыт, или его убрал в архив тот, кому это можно
why-merged = у него та же проблема, что у { $case }, который стоит за оба
why-merged-somewhere = у него та же проблема, что у другого случая, который стоит за оба
why-erased = его слова нельзя хранить: почему — скажет `threadlore cases show`
why-reacted = { $who } отреагировал(а): { $emoji }
signal-admin = слово администратора
signal-reaction = положительная реакция на ответ
signal-thanks = благодарность или отзыв того, кто спросил
signal-thread-end = конец разговора после ответа (слабый знак)
note-admin = в сообщениях этого канала такого нет
note-reaction = этой реакции больше нет
note-thanks = сообщения, где это сказано, в случае больше нет
note-thread-end = никто не сказал, что помогло: это самый слабый знак
happened-opened = найден открытым: { $engine }
happened-suggested = найден с предложением: { $engine }
happened-disproved = предложенное оказалось неверным, говорит { $engine }
happened-solved = решён: { $signal }, говорит { $engine }
happened-solved-by-word = решён, его слово дал(а) { $who }
happened-confirmed = подтверждён: { $who }, { $emoji }
happened-withdrew = { $who } убрал(а) { $emoji }
happened-expired = истёк: слишком долго был открыт
happened-archived = в архиве: { $who } говорит, что это устарело
happened-redacted = стёрт: удалили сообщение, которое он цитирует
happened-edited = стёрт: изменили сообщение, которое он цитирует
happened-erased = стёрт: об этом просит { $who }
happened-merged = объединён с { $case }: так говорит { $who }
happened-merged-alike = объединён с { $case }: проблемы схожи на { $alike } из 1000 ({ $by })
happened-joined = с ним объединён { $case }: так говорит { $who }
happened-joined-alike = с ним объединён { $case }: проблемы схожи на { $alike } из 1000 ({ $by })
happened-split = объединение отменено
happened-split-by = объединение отменил(а) { $who }

## Память

tier-patterns = Спрашивали снова и снова, хранится всегда
tier-history = Спрашивали за последний месяц
tier-working = Спрашивали за последние сутки, ещё не решено
memory-all = Всё
memory-told = Что боту сказали запомнить
memory-nothing = Пока ничего. Скажите боту «запомни, что …» или напишите здесь.
memory-label = Запомнить это и говорить всем, кто может читать канал:
memory-always = Читающая модель должна знать это при каждом вопросе
memory-model-knows = модель знает это при каждом вопросе
memory-gone = О чём больше не говорится
remember-it = Запомнить
bring-it-back = Вернуть
bring-back-this = Вернуть: { $text }
forget-it = Забыть
forget-this = Забыть: { $text }
say-it-otherwise = Сказать иначе
say-it-so = Сказать так
other-words-of = Другие слова для: { $text }
told-to-one = говорится только тому, кто это сказал
told-to-all = говорится всем
archived-replaced = заменено
archived-full = вытеснено
archived-expired = истекло
archived-failed = не помогало

## Люди

people = Люди
people-what = Что есть о человеке в этом пространстве; его находят по идентификатору на платформе. В канале сюда ведут и имена.
people-unknown = Никто с идентификатором { $id } в этом пространстве ничего не писал.
people-platform = Платформа
people-id = Идентификатор на ней
people-find = Найти
people-one = Найти человека
person-wrote = Что он написал
person-cases = Случаи с его словами
person-told = Что он просил запомнить
person-nothing = От него ничего не осталось.
person-forget = Забыть
person-forget-what = Его ключ, его сообщения, то, что он просил запомнить, и случаи с его словами исчезнут навсегда. Что он напишет потом, не сохранится, и бот ему не ответит.
person-forget-it = Забыть этого человека
person-sure = Всё это должно исчезнуть навсегда: вернуть это не сможет никто.
person-mentioned =
    { $count ->
        [one] Его упоминает { $count } чужое сообщение; оно остаётся.
        [few] Его упоминают { $count } чужих сообщения; они остаются.
        [many] Его упоминают { $count } чужих сообщений; они остаются.
       *[other] Его упоминают { $count } чужого сообщения; они остаются.
    }

## Каналы

channels-none = Пока нет ни одного: подключите платформу или импортируйте чат командой `threadlore import`.
channel-no-admin = молчит: нет администратора
channel-off = молчит: выключен
channel-answers = отвечает на вопросы
channel-set = настроено { $day }: { $by }
audience-public = читать может каждый
audience-space = читать могут участники пространства
audience-members = сказанное там остаётся там
mode-questions = отвечает на вопросы, заданные ему или всем
mode-mentions = отвечает тем, кто спрашивает его по имени
mode-off = ничего не говорит
channel-bot = Бот
channel-readers = Кто может здесь читать
channel-readers-about = Ответ пользуется тем, что может читать каждый в его канале.
channel-pages = Страницы для всех
channel-pages-about = Люди там под другими именами; у канала, который может читать не каждый, их нет.
channel-publish = у его решённых случаев есть страницы, которые может читать каждый и находят поисковики
channel-admins = Администраторы
channel-admins-about = Их слово считается: они исправляют, учат и велят забывать. Без них бот здесь молчит.
channel-other-admin = Ещё один, по его идентификатору на платформе
channel-docs = Адреса документации, по одному в строке, для тех, кто спросил и не получил ответа
readers-box = Поле для вопросов на опубликованных страницах
readers-let = Разрешить спрашивать
readers-let-about = На опубликованных страницах некуда задать вопрос. С полем для вопросов спросит любой, без учётной записи; закрыть его можно на странице канала site:help.
channel-read-only = Здесь вы можете читать, но не менять.
its-messages = Что там говорилось
messages-about = Кто кому отвечает, по мнению правил: у сообщений одного разговора одна линия, и от них можно перейти к случаям, которые из них возникли.
messages-none = Здесь ещё ничего не сказано.
messages-bot = бот
messages-answers = отвечает { $name }: { $text }
messages-answers-earlier = отвечает на более раннее сообщение
earlier-ones = Более ранние сообщения
in-its-channel = Что говорилось вокруг этого
latest-ones = К последним сообщениям
its-questions = Его вопросы
its-cases = Его случаи

## Импортировать чат

import-title = Импортировать чат
import-about = Экспорт чата, каким его пишут Telegram, WhatsApp, Slack, Discord, Element, Zulip, GitHub или список рассылки, в архиве или без; или журнал IRC. То, что в нём решили, через несколько минут станет случаями. Тот же файл ещё раз ничего не добавит.
import-file = Файл, не больше { $most } МиБ
import-more = Если это журнал или время в нём без часового пояса
import-channel = Канал, куда он попадёт; у экспорта каналы свои
import-timezone = Часовой пояс времени, записанного без него
import-it = Импортировать
import-before = Импорт с запуска этого процесса
import-reading = Ждёт или читается.
import-taking = Принимается
import-skipped =
    { $lines ->
        [one] { $lines } строка не пригодилась: почему — скажет `threadlore import --dry-run`.
        [few] { $lines } строки не пригодились: почему — скажет `threadlore import --dry-run`.
       *[many] { $lines } строк не пригодились: почему — скажет `threadlore import --dry-run`.
    }
import-cases = К случаям
import-refused = Ничего не принято:
import-no-file = Файла нет, или он пуст.
import-unknown = Это не известный экспорт. Если это журнал IRC или строки JSON, назовите канал, куда он попадёт.
import-nothing = В нём нет ничего пригодного.

## О чём спрашивают

graph-title = О чём спрашивают
graph-about = О чём спрашивают: «{ $subject }»
graph-subject = Тема
graph-in = За
last-day = последние сутки
last-week = последнюю неделю
last-month = последний месяц
last-all = всё время
graph-counted =
    { $questions ->
        [one] Учтены последние { $read } из { $questions } вопроса.
       *[many] Учтены последние { $read } из { $questions } вопросов.
    }
graph-last = Последний раз спрашивали { $day }.
answered-by-cases = отвечено из случаев
answered-by-memories = из того, что сказали запомнить
answered-by-tools = инструментами
answered-by-people = людьми
answered-by-nobody = никем
answered-by-silent = оставлено без ответа
graph-nobody = На что тут никто не смог ответить
graph-cases = Случаи, которые дали ответ
graph-words-beside = Слова рядом
graph-words-most = Слова большинства вопросов
graph-none = Нет. Считаются вопросы, заданные вживую; в импортированной истории их нет.
graph-word = Слово
graph-by-people = Людьми
graph-by-nobody = Никем
graph-acts = Что сделал бот и чем это кончилось
graph-who = Кого спросили
graph-did = Что он сделал
graph-times = Раз
asked-bot = Бота, по имени
asked-everybody = Всех
asked-once-more = Всех, ещё раз
asked-unseen = Не разобрано

## Состояние установки

health-nothing-waits = Ничего не ждёт: каждая группа взяла все записи.
health-waiting =
    { $records ->
        [one] { $records } запись ждёт.
        [few] { $records } записи ждут.
       *[many] { $records } записей ждут.
    }
health-again = Обновлять каждые пять секунд
health-not-again = Не обновлять
health-group = Группа
health-records = Записей ждёт
health-drawn = То же, рисунком
health-tables = Таблицы
health-people = Кто следит за этой установкой
health-letters = Недоставленное
health-no-letters = Нет.
health-reasons = С причинами и новой попыткой

## Недоставленное

letters = Недоставленное
letters-what = Записи, которые роль не смогла обработать, и вызовы, которые окончательно не удались. Когда причина устранена, можно попробовать снова; кто перечитывает журнал, остальное пропускает.
letters-none = Нет.
letters-redriven = повторено: { $place }
letters-again = Попробовать снова
letters-all = Всё из этого топика
letters-reason = Только то, в причине чего есть эти слова; без слов всё
letters-all-again = Попробовать снова всё
letters-done = Повторено: { $redriven }, уже было: { $already }, нельзя: { $refused }.
letters-more = И ещё { $count }.
letters-when = Когда
letters-role = Роль
letters-space = Пространство
letters-key = Ключ
letters-source = Запись
letters-value = Её значение
letters-show-value = Показать; в нём могут быть текст и имена людей

## Таблицы и повторы

replays-title = Таблицы и повторы
replays-what = Каждая таблица складывается из журнала. Повтор строит новую рядом с действующей, сравнивает обе построчно, и если они равны, действует новая. Моделей он не спрашивает, и никто его не ждёт.
replays-which = Таблицы
replays-compare-only = только сравнить; новую хранить рядом с действующей
replays-more = Какими они были в некоторое время
replays-until = Только с тем, что было в журнале до этого времени; такие таблицы никогда не действуют
replays-begin = Построить заново
replays-waits = Ждёт своей очереди.
replays-compares = Всё свёрнуто; идёт сравнение.
replays-not-done = Повтор не состоялся:
replays-pause = Приостановить
replays-resume = Продолжить
replays-give-up = Отказаться
replays-switch = Сделать действующей
replays-drop = Удалить
folded = записей: { $part } из { $whole }
folded-of = { $build }, свёрнуто
build-under-way = её заполняет повтор
build-paused = её повтор приостановлен
build-cut-off = её повтор оборвался
build-live = действует
build-as-of = по состоянию на { $time }
build-other-version = другой версии
build-kept = хранится для возврата
compared-equal = Равна g{ $number }
compared-different = Отличается от g{ $number }
compared-work = событий: { $events }, секунд: { $seconds }
compared-table = Таблица
compared-rows = Строк
compared-live = Сумма действующей
compared-rebuilt = Сумма этой

## Вход и своя учётная запись

sign-in-by-link = Кто следит за установкой, входит по ссылке: её печатает `threadlore sign-in`.
sign-in-no-accounts = Ни у кого пока нет имени и пароля: их даёт `threadlore user add ИМЯ`. До тех пор ссылку печатает `threadlore sign-in`.
sign-in-with-name = Войти с именем и паролем
sign-in-wrong = Такого имени с таким паролем нет.
sign-in-forgot = Забыли пароль? Попросите у того, кто дал вам учётную запись, ссылку, чтобы выбрать другой.
sign-in-too-often =
    { $seconds ->
        [one] Слишком много попыток: подождите { $seconds } секунду.
        [few] Слишком много попыток: подождите { $seconds } секунды.
       *[many] Слишком много попыток: подождите { $seconds } секунд.
    }
sign-in-at = Войти через { $provider }
sign-in-go-on = Дальше
sign-in-astray = Этот вход начат не в этом браузере или больше десяти минут назад: войдите ещё раз.
sign-in-refused = { $provider } вас не впустил.
sign-in-nameless = { $provider } не называет вашего имени, которое здесь считается, например подтверждённого адреса почты. Какое считается, решает тот, кто следит за установкой (`oidc.claim`).
sign-in-no-account = Учётной записи с именем { $name } здесь нет. Её даёт тот, кто следит за установкой: `threadlore user add ИМЯ`.
account-signed-in = Вы вошли как { $name }.
account-old-password = Ваш нынешний пароль
account-new-password = Ваш новый пароль, не короче { $least } знаков
account-at = Вы входите через { $provider }, и пароля здесь у вас нет.
account-elsewhere = Везде, где вы ещё вошли, сеанс закончится.

## Страницы для всех

solved-questions = Решённые вопросы
published-of = Решённые вопросы: { $space }
published-in = О чём спрашивали и что решили в { $space }.
published-said = Что было сказано
published-alike = Похожее
published-names = Люди этого разговора здесь под другими именами. Кто в нём писал и хочет, чтобы он исчез, просит того, кто следит за каналом, или говорит там боту: «забудь меня».
readers-ask = Задать вопрос
readers-about = Ответ приходит сразу — из того, что здесь уже решено.
readers-kept = Ваш вопрос прочтёт тот, кто следит за этим местом, а решённый он может быть показан здесь под другим именем. Ваш браузер тридцать дней хранит номер, чтобы ответы видел только он; напишите «забудь меня», и всё, что вы спрашивали, будет стёрто.
readers-wait = Тот, кто следит за этим местом, видит, что вам не помогли, и может ответить. Спросите ещё раз позже.
readers-more = Спросить о другом
readers-nothing = Пока ничего не опубликовано.

## Почему отказано

refused-not-there = Здесь этого нет
refused-bad = Так не получится
refused-too-large = Это слишком много
    .sentence = Прислано больше, чем здесь читается: сократите текст или пришлите меньше за раз.
refused-too-many-questions = Слишком много вопросов
    .sentence = Сейчас приходит столько вопросов, что ваш не принят: отправьте его ещё раз через минуту.
refused-lacks = Нельзя
    .ingest = Вам нельзя присылать сюда сообщения: нужно право `ingest`.
    .ask = Вам нельзя здесь спрашивать: нужно право `ask`.
    .read = Вам нельзя это читать: нужно право `read`.
    .admin = Вам нельзя здесь ничего менять: нужно право `admin`.
    .page-of-others = Это прислала чужая страница, поэтому ничего не изменено. Сделайте это на этих страницах.
    .address = Это не адрес этих страниц: откройте их как localhost или 127.0.0.1 или по адресу из `api.public_url`.
    .operator = Это касается всей установки: нужно право `admin` в пространстве `system`.
    .no-password = У того, кто вошёл по ссылке, пароля нет: эта страница для людей с учётной записью.
refused-busy = Не сразу
refused-waits = Это в журнале
    .sentence = Просьба сохранена, но за десять секунд не выполнена. Её выполнят, как только роли, которые это делают, заработают и догонят: не отправляйте ещё раз.
refused-sign-in = Войдите
    .sentence = На этих страницах то, что писали люди, поэтому они для тех, кто следит за установкой, и для людей с учётной записью. Откройте ссылку, которую напечатал при запуске `threadlore up`, или напечатайте новую: `threadlore sign-in`.
refused-not-yet = Ещё нет
    .sentence = Процесс запускается или останавливается: попробуйте чуть позже.
refused-away = Не сейчас
    .sentence = База данных или журнал сейчас не отвечает: попробуйте чуть позже. Присланное могло быть принято; посмотрите, прежде чем отправлять снова.
refused-provider = Войти не удалось
    .sentence = Там, где входят, сейчас не отвечают, или ответу нельзя верить: попробуйте ещё раз. Подробности в журнале threadlore в стандартном потоке ошибок.
refused-failed = Что-то сломано
    .sentence = Это ошибка threadlore, подробности в его журнале в стандартном потоке ошибок.
refused-link = По этой ссылке уже входили, или ей больше десяти минут, или её скопировали не целиком. Новую печатает `threadlore sign-in`.
refused-no-page = Такой страницы нет.
refused-not-published = Такой страницы нет, или её канал не опубликован. Кто следит за пространством, найдёт случай после входа.
refused-after = `after` ничего не называет в этом пространстве: нужно то, что у страницы стоит как `next`.
refused-no-space = Пространства «{ $name }» здесь нет.
refused-no-channel = Канала «{ $name }» в этом пространстве нет.
refused-no-outcome = Исхода «{ $name }» нет: все они в docs/outcomes.md.
refused-rating = Нет оценки «{ $rating }»: она helped, failed или пусто, чтобы взять её назад.
refused-cookies = Браузер не прислал нашего cookie, и ответ нельзя было бы показать только вам: разрешите cookie этой страницы, откройте её снова и спросите.
refused-no-answer-yet = Для этого браузера здесь ответа нет. Если вы только что спросили, посмотрите ещё раз через мгновение.
refused-forgotten = Вы просили вас забыть, поэтому присланное этим браузером не хранится и остаётся без ответа. Если всё же хотите спросить, удалите cookie этой страницы и откройте её снова.
refused-no-state = Состояния случая «{ $name }» нет.
refused-no-tier = Уровня памяти «{ $name }» нет.
refused-no-topic = Недоставленного из «{ $name }» нет.
refused-no-projection = Проекции «{ $name }» нет.
refused-time = «{ $time }» — не время: пишите так: 2026-11-23T08:00:00Z.
refused-no-case = Такого случая в этом пространстве нет.
refused-no-other-case = Такого случая в этом пространстве нет: назовите его ссылкой или идентификатором.
refused-no-question = Такого вопроса в этом пространстве нет.
refused-no-letter = В этом пространстве нет такой недоставленной записи.
refused-no-person = Никто с таким идентификатором в этом пространстве ничего не писал.
refused-no-build = Сборки с таким номером нет.
refused-no-memory = Под этим идентификатором ничего не запомнено.
refused-length = в тексте { $characters } знаков, а нужно от 1 до { $most }: его услышат люди
refused-case-erased = Этот случай стёрт: его тексты исчезли навсегда, исправлять нечего.
refused-question-erased = Слова этого вопроса стёрты, поэтому нельзя никому сказать, о чём он был.
refused-exchange = У обмена нет своих слов, которые можно забыть: сотрите его случай или удалите вопрос.
refused-not-sure = Ничего не стёрто: отметьте, что тексты исчезнут навсегда.
refused-form = Это не форма этой страницы ({ $what }): откройте её заново.
refused-address = «{ $address }» — не адрес документации: он начинается с https:// или http://.
refused-publish = Не опубликовано, и больше ничего не изменено, потому что читать может не каждый: скажите, что может каждый, или не публикуйте.

## Настройки установки

settings = Настройки
settings-what = С чем работает процесс, который показывает эту страницу. Настройку меняют в файле или окружении процесса: он читает их при запуске. Секреты не показываются.
settings-version = Версия
settings-roles = Роли:
settings-set = Задано здесь
settings-none-set = Ничего: все настройки по умолчанию.
settings-tables = Все настройки, по таблицам
settings-top = Начало файла
settings-nothing = ничего
settings-default = По умолчанию
settings-no-table = Настроек с именем { $name } нет.

## Токены

tokens = Токены программ
tokens-what = Программа, которая использует HTTP API, свой шлюз или ассистент посылает токен с каждым запросом. Каждый действует только в этом пространстве и может то, что отмечено. Отозванный перестаёт действовать не позже чем через пять секунд.
tokens-none = Пока нет.
tokens-made = Токен для { $name }
tokens-once = Скопируйте его сейчас: он не хранится и больше не показывается.
tokens-new = Ещё один токен
tokens-name = Как он называется
tokens-may = Что он может
tokens-days = Сколько дней он действует
tokens-make = Создать
tokens-until = действует до { $time }
tokens-ran-out = истёк
tokens-revoked = отозван { $time }
tokens-used = последний раз { $time }
tokens-not-used = ещё не использован
tokens-made-by = создал { $by }, { $time }
tokens-revoke = Отозвать
right-ingest = посылать сообщения
right-ask = спрашивать
right-read = читать
right-admin = менять всё здесь
refused-token-name = У токена есть имя от 1 до 100 знаков, без управляющих знаков.
refused-no-rights = Без единого права от этого нет пользы: выберите хотя бы одно.
refused-days = Токен действует от 1 до 3650 дней, а запрошено { $days }.
refused-no-token = В этом пространстве нет такого токена.

## Учётные записи

accounts = Учётные записи людей
accounts-what = Кто может входить на эти страницы и что-то делать в этом пространстве. У каждого есть учётная запись с именем, а пароль выбирают по ссылке. Отнятые права перестают действовать не позже чем через пять секунд.
accounts-provider = У кого есть учётная запись здесь, может войти и через { $provider }: тогда пароль не нужен.
accounts-link-of = Ссылка для { $name }
accounts-link-what = Пошлите её только этому человеку: у кого она есть, тот выберет по ней пароль, один раз. Она действует до { $time }.
accounts-none = Пока нет. Кто следит за установкой, входит по ссылке.
accounts-give = Дать кому-то права
accounts-name = Имя учётной записи
accounts-signs = Строчные латинские буквы, цифры и . _ - + @, например адрес почты. У кого учётная запись уже есть, пароль остаётся прежним.
accounts-may = Что можно
accounts-signed-in = последний вход { $time }
accounts-not-yet = ещё не входили
accounts-no-password = пароля ещё нет
accounts-given-by = дал { $by }, { $time }
accounts-change = Изменить
accounts-link = Ссылка для нового пароля
accounts-remove = Отнять права
join = Выберите пароль
join-what = У вас здесь учётная запись { $name }. С этим именем и паролем, который вы сейчас выберете, вы входите отныне.
join-do = Выбрать и войти
refused-account-name = Имя учётной записи состоит из 1–100 знаков a–z, 0–9, «.», «_», «-», «+» и «@».
refused-account-ingest = Страницы не посылают сообщений, и право «ingest» там никому не нужно: оно для токенов программ.
refused-no-account = Ни у одной учётной записи с таким именем нет прав в этом пространстве.
refused-account-link = Пароль этой учётной записи вы заменить не можете: она ваша или может то, чего не можете вы. Свой пароль меняют за своим именем наверху страницы.
refused-password = В пароле от { $least } до { $most } байтов.
refused-invitation = Эта ссылка уже использована, старше семи дней, обрезана при копировании, или ваши права с тех пор изменились. Попросите новую там, где её получили.
refused-password-changed = Ваш пароль в тот же миг изменили в другом месте: войдите снова.
