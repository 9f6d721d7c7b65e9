# Слова сторінок українською. Імена ті самі, що в en.ftl.

## Усюди

pages = Сторінки
skip = До вмісту
language = Мова
health = Стан
space = простір { $name }
spaces = Простори
sign-in = Вхід
sign-out = Вийти
account = Ваш обліковий запис
name = Ім’я
password = Пароль
show = Показати
show-more = Показати більше
search = Шукати
save = Зберегти
change-it = Змінити
all = усі
all-of-them = Усі { $count }
shown-of = { $shown } з { $fitting }.
shown-of-more = { $shown } з { $fitting } або більше.
first-ones = На початок
next-ones = Далі
which = Які
words = Слова
state = Стан
channel = Канал
topic = Топік
outcome = Наслідок
because = Чому
somebody = хтось
nameless = хтось, чиє ім’я невідоме
erased = (стерто)
case = Випадок
question = Питання
problem = Проблема
solution = Розв’язок
closeness = Близькість
chance = Шанс
worked = Допомогло
failed = Не допомогло
published = опубліковано
place-home = Головна
place-questions = Питання
place-cases = Випадки
place-graph = Теми
place-memory = Пам’ять
place-channels = Канали
place-ask = Запитати

## Числа

bytes =
    { $count ->
        [one] { $count } байт
        [few] { $count } байти
        [many] { $count } байтів
       *[other] { $count } байта
    }
messages-or-more = { $count } повідомлень або більше
messages =
    { $count ->
        [one] { $count } повідомлення
        [few] { $count } повідомлення
       *[many] { $count } повідомлень
    }
questions =
    { $count ->
        [one] { $count } питання
        [few] { $count } питання
       *[many] { $count } питань
    }
answers =
    { $count ->
        [one] { $count } відповідь
        [few] { $count } відповіді
       *[many] { $count } відповідей
    }
cases =
    { $count ->
        [one] { $count } випадок
        [few] { $count } випадки
       *[many] { $count } випадків
    }
admins =
    { $count ->
        [one] { $count } адміністратор
        [few] { $count } адміністратори
       *[many] { $count } адміністраторів
    }
days =
    { $count ->
        [one] { $count } день
        [few] { $count } дні
       *[many] { $count } днів
    }
confirmed-by =
    { $reactions ->
        [one] підтверджено { $reactions } реакцією
       *[many] підтверджено { $reactions } реакціями
    }
quoted-by =
    { $answers ->
        [one] процитовано в { $answers } відповіді
       *[many] процитовано в { $answers } відповідях
    }
worked-failed = допомогло: { $worked }, не допомогло: { $failed }
worked-of = допомогло { $worked } з { $uses }
helped-failed = допомогло: { $helped }, не допомогло: { $failed }
say-helped-failed = кажуть, що допомогло: { $helped }, що ні: { $failed }
closeness-of = близькість { $close } з 1000

## Що сталося зі сказаним: слово і причина

outcome-answered = відповіли
    .because = відповіли розв’язком розв’язаного випадку або тим, що боту сказали запам’ятати
outcome-suggested = запропоновано
    .because = відповіли тим, що пропонували і не підтвердили
outcome-tracked = відомо
    .because = відповіли, що проблема відома і не розв’язана
outcome-pointed = показано схоже
    .because = бота запитали на ім’я, і він показав найближчі випадки
outcome-unknown = невідомо
    .because = бота запитали на ім’я, і він відповів, що про це нічого не відомо
outcome-steered = вказівка
    .because = боту дали вказівку, і він її виконав
outcome-refused = відмова
    .because = боту сказали те, чого він не робить для того, хто це каже
outcome-rated = оцінка
    .because = тут сказано, чи допомогла відповідь
outcome-not_configured = не налаштовано
    .because = у каналу немає активного адміністратора, тому в ньому нічого не кажуть
outcome-muted = приглушено
    .because = канал не хоче відповідей або хоче лише тих, про які просять на ім’я
outcome-statement = твердження
    .because = нічого не питають або питають когось іншого
outcome-noise = шум
    .because = відповідати тут нема на що
outcome-withdrawn = відкликано
    .because = повідомлення забрали або змінили до відповіді
outcome-too_late = запізно
    .because = це сказано надто давно
outcome-answered_by_person = відповіла людина
    .because = людина відповіла першою
outcome-repeated = повтор
    .because = таку саму відповідь тут дали зовсім недавно
outcome-too_many = забагато
    .because = канал уже отримав стільки відповідей, скільки можна за цей час
outcome-nothing_found = нічого не знайдено
    .because = у жодному випадку немає слів питання
outcome-nothing_close = нічого близького
    .because = жоден випадок не досить близький до питання
outcome-nothing_answers = пошук недоступний
    .because = зараз не можна шукати ні в індексі, ні в таблицях
outcome-search_failed = пошук не вдався
    .because = пошук не вдався
outcome-silent = мовчання
set-asked = усе, про що запитали
set-unanswered = на що ніхто не зміг відповісти
set-answered = на що відповіли

## Чого варта відповідь і хто це каже

worth-worked = допомогло
worth-failed = не допомогло
worth-partial = допомогло частково
worth-unknown = невідомо
says-asker = так каже той, хто запитав
says-asked-again = той, хто запитав, знову питає про те саме і нічого про відповідь не каже
says-others = так каже більшість інших, хто висловився
says-correction = адміністратор дав випадку інший розв’язок
says-nobody = ніхто більше про це нічого не каже
withdrawn-question-redacted = питання видалили
withdrawn-case-corrected = випадок, з якого її взято, виправили
withdrawn-case-erased = випадок, з якого її взято, стерли
withdrawn-memory-erased = те, що вона повідомляє, звеліли забути

## Хто щось зробив

actor-operator = оператор
actor-program = програма { $name }
actor-in-room = адміністратор у кімнаті
actor-who-may = той, кому це дозволено

## Головна сторінка простору і звіт

home-title = Про що питають у { $space }
home-asked = Запитали
home-answered = Відповіли
home-person-quicker = Людина була швидша
home-nothing-known = Нічого не було відомо
home-week-before = тижнем раніше: { $count }
home-nothing-waits = Нічого не чекає. Тут з’явиться все, про що запитають і не отримають відповіді.
home-waiting = Відкрийте питання і напишіть відповідь: відтепер її отримає кожен, хто запитає про те саме.
home-became = Що сталося зі сказаним за останні сім днів
home-nothing-said = За ці два тижні наживо нічого не сказано. На імпортовану історію бот не відповідає.
home-this-week = Цей тиждень
home-before = До нього
home-most-asked = Про що питали найчастіше за останні сім днів
home-counts = За цей тиждень: { $messages }; знайдено: { $cases }, розв’язано: { $solved }.
home-week = Тиждень на одній сторінці
unanswered-title = На що ніхто не зміг відповісти
report = Звіт
report-days = Днів
report-what = що
report-earlier = до того
report-before = до того { $count }
report-became = Що сталося зі сказаним
report-most-asked = Про що питали найчастіше
report-more = І ще { $count }.
report-messages = повідомлення
report-people = люди, які писали
report-questions = питання
report-answered = відповіли
report-by-person = людина відповіла першою
report-nothing-known = нічого не відомо
report-worked = відповіді, які допомогли
report-failed = відповіді, які не допомогли
report-found = знайдено випадків
report-solved = розв’язано випадків
report-time = середній (медіанний) час до розв’язку
report-tokens = токени моделі

## Питання

no-such-questions = Таких питань немає.
question-one = Питання
question-because = Наслідок: { $outcome } — { $because }.
question-turn = Звернення { $turn }. Більше скаже `threadlore answers why`.
read-with-it = прочитано разом із ним ({ $because })
context-anchor = це відповідь на нього
context-snapshot = це відповідь на нього
context-chain = на що відповідає те повідомлення
context-mention = автори називають одне одного
context-thread = та сама розмова
context-own = того самого автора
context-near = незадовго до того
answer-it = Дайте відповідь
answer-it-better = Дайте кращу відповідь
rate-it = Що ви про це скажете?
rate-helped = Допомогло
rate-failed = Це неправильно або не допомогло
rated-helped = Ви кажете, що це допомогло.
rated-failed = Ви кажете, що це неправильно або не допомогло.
rate-back = Забрати це назад
teach-label = Кожен, хто запитає про те саме, почує це з вашим словом адміністратора:
teach-button = Запам’ятати цю відповідь
what-the-bot-said = Що сказав бот
case-it-is-from = випадок, з якого це взято
told-this = Боту сказали це запам’ятати.
taken-back = відкликано: { $why }
delivery-posting = { $gateway } надсилає
delivery-posted = надіслано через { $gateway } { $at }
delivery-not-posted = { $gateway } не зміг надіслати { $at }: { $reason }
delivery-taking-back = { $gateway } відкликає
delivery-took-back = відкликано через { $gateway } { $at }
delivery-not-taken-back = { $gateway } не зміг відкликати { $at }: { $reason }
delivery-no-reason = причина невідома
compared-with = Випадки, з якими його порівняли
compared-scale = Близькість і шанс — з 1000; для відповіді потрібна близькість 450.
what-the-log-says = Що каже журнал

## Запитати

ask-it = Запитати
ask-about = Що знав би бот, з усіх каналів цього простору. У чатах цього ніхто не побачить.
ask-silent = Бот промовчав би: { $why }.
ask-looked-up = Дізнався щойно: { $tool }
ask-from = З випадку { $case }
ask-nearest = Найближче, але не відповідь
ask-how = Як це знайдено
ask-chances = Шанси за { $model }, хибних відповідей не більше { $wrong } зі 100, порівняно випадків: { $cases }.
ask-found = близькість { $close }, шанс { $chance } з 1000, за
degraded-model = модель не відповідає, тому в індексі шукали лише за словами
degraded-gate = модель, що читає, не відповідає, тому чи це питання, вирішили правила
degraded-remark = модель, що читає, не відповідає, тому чи каже це щось про відповідь, вирішили правила
degraded-rewrite = модель, що переписує, не відповідає, тому питання шукали як є
degraded-reranker = модель, що ранжує, не відповідає, тому близькість випадків — без неї
degraded-reader = модель, що читає, не відповідає, тому обирали правила
degraded-tool = інструмент не відповідає, тому модель, що читає, вирішила без нього
degraded-budget = денний запас токенів на читання вичерпано, тому обирали правила
degraded-index = індекс не відповідає, тому шукали слова в таблицях
degraded-tables = таблиці не відповідають, тому нічого знайти не можна

## Випадки

status-open = відкритий
status-solved = розв’язаний
status-archived = в архіві
status-merged = об’єднаний
status-erased = стертий
part-problem = проблема
part-solution = розв’язок
part-suggestion = пропозиція
part-context = контекст
no-such-cases = Таких випадків немає.
cases-nearest = Найближчі до цих слів, спершу найближчий.
cases-all = Усі випадки
with-a-suggestion = є пропозиція
suggestion-unconfirmed = Пропозиція, яку ніхто не підтвердив
case-answers = відповіді з нього: допомогло { $worked }, не допомогло { $failed }
case-merged-into = випадок, з яким його об’єднано
case-messages = Повідомлення, з яких його взято
case-happened = Що з ним було
case-without-effect = (без наслідків: { $why })
case-version = Версія { $version }, знайшов { $engine }, { $link }
case-why = Чому випадок { $status }
counts-no-more = більше не рахується
of-merged = з випадку, який з ним об’єднано
change-title = Змінити
correct-label = Розв’язок, який відтепер почують люди. Те, що за останню добу відповіли за старим, буде відкликано.
correct-it = Виправити
archive-label = Це застаріло: відповіді ним більше не користуються. Тексти лишаються, а виправлення поверне випадок.
archive-it = До архіву
merge-label = Тут та сама проблема, що в іншому випадку того ж каналу, який відтепер стоїть за обидва. Один із найближчих або адреса іншого:
merge-it = Об’єднати
split-label = Тут інша проблема, ніж у випадку, з яким його об’єднали.
split-it = Нехай стоїть сам
erase-sure = Тексти зникнуть назавжди: ніхто їх більше не почує і ніхто не зможе повернути.
erase-it = Стерти
why-solved = його розв’язало ось що: { $signal }
why-confirmed = хтось підтвердив його реакцією
why-suggested = хтось запропонував відповідь, і ніхто її не підтвердив
why-open = у чаті не видно, що його розв’язало
why-archived = він надто довго був відкритий, або його прибрав до архіву той, кому це дозволено
why-merged = у нього та сама проблема, що в { $case }, який стоїть за обидва
why-merged-somewhere = у нього та сама проблема, що в іншого випадку, який стоїть за обидва
why-erased = його слова не можна зберігати: чому — скаже `threadlore cases show`
why-reacted = { $who } відреагував(-ла): { $emoji }
signal-admin = слово адміністратора
signal-reaction = схвальна реакція на відповідь
signal-thanks = подяка або відгук того, хто запитав
signal-thread-end = кінець розмови після відповіді (слабка ознака)
note-admin = у повідомленнях цього каналу такого немає
note-reaction = цієї реакції більше немає
note-thanks = повідомлення, де це сказано, у випадку більше немає
note-thread-end = ніхто не сказав, що допомогло: це найслабша ознака
happened-opened = знайдено відкритим: { $engine }
happened-suggested = знайдено з пропозицією: { $engine }
happened-disproved = запропоноване виявилося хибним, каже { $engine }
happened-solved = розв’язано: { $signal }, каже { $engine }
happened-solved-by-word = розв’язано, своє слово дає { $who }
happened-confirmed = підтверджено: { $who }, { $emoji }
happened-withdrew = { $who } прибирає { $emoji }
happened-expired = строк минув: надто довго був відкритий
happened-archived = в архіві: { $who } каже, що це застаріло
happened-redacted = стерто: видалили повідомлення, яке він цитує
happened-edited = стерто: змінили повідомлення, яке він цитує
happened-erased = стерто: про це просить { $who }
happened-merged = об’єднано з { $case }: так каже { $who }
happened-merged-alike = об’єднано з { $case }: проблеми схожі на { $alike } з 1000 ({ $by })
happened-joined = з ним об’єднано { $case }: так каже { $who }
happened-joined-alike = з ним об’єднано { $case }: проблеми схожі на { $alike } з 1000 ({ $by })
happened-split = об’єднання скасовано
happened-split-by = об’єднання скасовує { $who }

## Пам’ять

tier-patterns = Питали знову і знову, зберігається завжди
tier-history = Питали за останній місяць
tier-working = Питали за останню добу, ще не вирішено
memory-all = Усе
memory-told = Що боту сказали запам’ятати
memory-nothing = Поки нічого. Скажіть боту «запам’ятай, що …» або напишіть тут.
memory-label = Запам’ятати це і казати всім, хто може читати канал:
memory-always = Модель, що читає, має знати це за кожного питання
memory-model-knows = модель знає це за кожного питання
memory-gone = Про що більше не кажуть
remember-it = Запам’ятати
bring-it-back = Повернути
bring-back-this = Повернути: { $text }
forget-it = Забути
forget-this = Забути: { $text }
say-it-otherwise = Сказати інакше
say-it-so = Сказати так
other-words-of = Інші слова для: { $text }
told-to-one = кажуть лише тому, хто це сказав
told-to-all = кажуть усім
archived-replaced = замінено
archived-full = витіснено
archived-expired = строк минув
archived-failed = не допомагало

## Люди

people = Люди
people-what = Що є про людину в цьому просторі; її знаходять за ідентифікатором на платформі. У каналі сюди ведуть і імена.
people-unknown = Ніхто з ідентифікатором { $id } у цьому просторі нічого не писав.
people-platform = Платформа
people-id = Ідентифікатор на ній
people-find = Знайти
people-one = Знайти людину
person-wrote = Що вона написала
person-cases = Випадки з її словами
person-told = Що вона просила запам’ятати
person-nothing = Від неї нічого не лишилося.
person-forget = Забути
person-forget-what = Її ключ, її повідомлення, те, що вона просила запам’ятати, і випадки з її словами зникнуть назавжди. Що вона напише потім, не збережеться, і бот їй не відповість.
person-forget-it = Забути цю людину
person-sure = Усе це має зникнути назавжди: повернути це не зможе ніхто.
person-mentioned =
    { $count ->
        [one] Її згадує { $count } чуже повідомлення; воно лишається.
        [few] Її згадують { $count } чужі повідомлення; вони лишаються.
        [many] Її згадують { $count } чужих повідомлень; вони лишаються.
       *[other] Її згадують { $count } чужого повідомлення; вони лишаються.
    }

## Канали

channels-none = Поки немає жодного: під’єднайте платформу або імпортуйте чат командою `threadlore import`.
channel-no-admin = мовчить: немає адміністратора
channel-off = мовчить: вимкнено
channel-answers = відповідає на питання
channel-set = налаштовано { $day }: { $by }
audience-public = читати може кожен
audience-space = читати можуть учасники простору
audience-members = сказане там лишається там
mode-questions = відповідає на питання, поставлені йому або всім
mode-mentions = відповідає тим, хто питає його на ім’я
mode-off = нічого не каже
channel-bot = Бот
channel-readers = Хто може тут читати
channel-readers-about = Відповідь користується тим, що може читати кожен у її каналі.
channel-pages = Сторінки для всіх
channel-pages-about = Люди там під іншими іменами; каналу, який може читати не кожен, вони не належать.
channel-publish = у його розв’язаних випадків є сторінки, які може читати кожен і знаходять пошуковики
channel-admins = Адміністратори
channel-admins-about = Їхнє слово важить: вони виправляють, навчають і велять забувати. Без них бот тут мовчить.
channel-other-admin = Ще один, за його ідентифікатором на платформі
channel-docs = Адреси документації, по одній у рядку, для тих, хто запитав і не отримав відповіді
readers-box = Поле для питань на опублікованих сторінках
readers-let = Дозволити питати
readers-let-about = На опублікованих сторінках нема де поставити питання. З полем для питань запитає будь-хто, без облікового запису; закрити його можна на сторінці каналу site:help.
channel-read-only = Тут ви можете читати, але не змінювати.
its-messages = Що там казали
messages-about = Хто кому відповідає, на думку правил: у повідомлень однієї розмови одна лінія, і від них можна перейти до випадків, які з них постали.
messages-none = Тут ще нічого не сказано.
messages-bot = бот
messages-answers = відповідає { $name }: { $text }
messages-answers-earlier = відповідає на раніше повідомлення
earlier-ones = Раніші повідомлення
in-its-channel = Що казали навколо цього
latest-ones = До останніх повідомлень
its-questions = Його питання
its-cases = Його випадки

## Імпортувати чат

import-title = Імпортувати чат
import-about = Експорт чату, яким його пишуть Telegram, WhatsApp, Slack, Discord, Element, Zulip, GitHub або список розсилки, в архіві чи без; або журнал IRC. Те, що в ньому розв’язали, за кілька хвилин стане випадками. Той самий файл ще раз нічого не додасть.
import-file = Файл, не більше { $most } МіБ
import-more = Якщо це журнал або час у ньому без часового поясу
import-channel = Канал, куди він потрапить; експорт має власні канали
import-timezone = Часовий пояс часу, записаного без нього
import-it = Імпортувати
import-before = Імпорт від запуску цього процесу
import-reading = Чекає або читається.
import-taking = Приймається
import-skipped =
    { $lines ->
        [one] { $lines } рядок не придався: чому — скаже `threadlore import --dry-run`.
        [few] { $lines } рядки не придалися: чому — скаже `threadlore import --dry-run`.
       *[many] { $lines } рядків не придалися: чому — скаже `threadlore import --dry-run`.
    }
import-cases = До випадків
import-refused = Нічого не прийнято:
import-no-file = Файлу немає, або він порожній.
import-unknown = Це не відомий експорт. Якщо це журнал IRC або рядки JSON, назвіть канал, куди він потрапить.
import-nothing = У ньому немає нічого придатного.

## Про що питають

graph-title = Про що питають
graph-about = Про що питають: «{ $subject }»
graph-subject = Тема
graph-in = За
last-day = останню добу
last-week = останній тиждень
last-month = останній місяць
last-all = увесь час
graph-counted =
    { $questions ->
        [one] Враховано останні { $read } з { $questions } питання.
       *[many] Враховано останні { $read } з { $questions } питань.
    }
graph-last = Востаннє питали { $day }.
answered-by-cases = відповіли з випадків
answered-by-memories = з того, що сказали запам’ятати
answered-by-tools = інструментами
answered-by-people = люди
answered-by-nobody = ніхто
answered-by-silent = лишено без відповіді
graph-nobody = На що тут ніхто не зміг відповісти
graph-cases = Випадки, які дали відповідь
graph-words-beside = Слова поряд
graph-words-most = Слова більшості питань
graph-none = Немає. Рахуються питання, поставлені наживо; в імпортованій історії їх немає.
graph-word = Слово
graph-by-people = Люди
graph-by-nobody = Ніхто
graph-acts = Що зробив бот і чим це скінчилося
graph-who = Кого запитали
graph-did = Що він зробив
graph-times = Разів
asked-bot = Бота, на ім’я
asked-everybody = Усіх
asked-once-more = Усіх, ще раз
asked-unseen = Не розібрано

## Стан установки

health-nothing-waits = Нічого не чекає: кожна група взяла всі записи.
health-waiting =
    { $records ->
        [one] { $records } запис чекає.
        [few] { $records } записи чекають.
       *[many] { $records } записів чекають.
    }
health-again = Оновлювати щоп’ять секунд
health-not-again = Не оновлювати
health-group = Група
health-records = Записів чекає
health-drawn = Те саме, малюнком
health-tables = Таблиці
health-people = Хто доглядає за цією установкою
health-letters = Недоставлене
health-no-letters = Немає.
health-reasons = З причинами та новою спробою

## Недоставлене

letters = Недоставлене
letters-what = Записи, які роль не змогла обробити, і виклики, які остаточно не вдалися. Коли причину усунено, можна спробувати знову; хто перечитує журнал, решту пропускає.
letters-none = Немає.
letters-redriven = повторено: { $place }
letters-again = Спробувати знову
letters-all = Усе з цього топіка
letters-reason = Лише те, у причині чого є ці слова; без слів усе
letters-all-again = Спробувати знову все
letters-done = Повторено: { $redriven }, вже було: { $already }, не можна: { $refused }.
letters-more = І ще { $count }.
letters-when = Коли
letters-role = Роль
letters-space = Простір
letters-key = Ключ
letters-source = Запис
letters-value = Його значення
letters-show-value = Показати; у ньому можуть бути текст та імена людей

## Таблиці та повтори

replays-title = Таблиці та повтори
replays-what = Кожна таблиця складається з журналу. Повтор будує нову поряд із чинною, порівнює обидві рядок за рядком, і якщо вони рівні, чинною стає нова. Моделей він не питає, і ніхто на нього не чекає.
replays-which = Таблиці
replays-compare-only = лише порівняти; нову зберігати поряд із чинною
replays-more = Якими вони були в певний час
replays-until = Лише з тим, що було в журналі до цього часу; такі таблиці ніколи не стають чинними
replays-begin = Побудувати заново
replays-waits = Чекає на свою чергу.
replays-compares = Усе згорнуто; триває порівняння.
replays-not-done = Повтор не відбувся:
replays-pause = Призупинити
replays-resume = Продовжити
replays-give-up = Відмовитися
replays-switch = Зробити чинною
replays-drop = Видалити
folded = записів: { $part } із { $whole }
folded-of = { $build }, згорнуто
build-under-way = її заповнює повтор
build-paused = її повтор призупинено
build-cut-off = її повтор обірвався
build-live = чинна
build-as-of = станом на { $time }
build-other-version = іншої версії
build-kept = зберігається для повернення
compared-equal = Дорівнює g{ $number }
compared-different = Відрізняється від g{ $number }
compared-work = подій: { $events }, секунд: { $seconds }
compared-table = Таблиця
compared-rows = Рядків
compared-live = Сума чинної
compared-rebuilt = Сума цієї

## Вхід і власний обліковий запис

sign-in-by-link = Хто доглядає за установкою, входить за посиланням: його друкує `threadlore sign-in`.
sign-in-no-accounts = Ні в кого ще немає імені й пароля: їх дає `threadlore user add ІМ’Я`. Доти посилання друкує `threadlore sign-in`.
sign-in-with-name = Увійти з іменем і паролем
sign-in-wrong = Такого імені з таким паролем немає.
sign-in-forgot = Забули пароль? Попросіть у того, хто дав вам обліковий запис, посилання, щоб обрати інший.
sign-in-too-often =
    { $seconds ->
        [one] Забагато спроб: зачекайте { $seconds } секунду.
        [few] Забагато спроб: зачекайте { $seconds } секунди.
       *[many] Забагато спроб: зачекайте { $seconds } секунд.
    }
sign-in-at = Увійти через { $provider }
sign-in-go-on = Далі
sign-in-astray = Цей вхід почато не в цьому браузері або понад десять хвилин тому: увійдіть ще раз.
sign-in-refused = { $provider } вас не впустив.
sign-in-nameless = { $provider } не називає вашого імені, яке тут рахується, наприклад підтвердженої адреси пошти. Яке рахується, вирішує той, хто доглядає за установкою (`oidc.claim`).
sign-in-no-account = Облікового запису з іменем { $name } тут немає. Його дає той, хто доглядає за установкою: `threadlore user add ІМ’Я`.
account-signed-in = Ви увійшли як { $name }.
account-old-password = Ваш теперішній пароль
account-new-password = Ваш новий пароль, не коротший за { $least } знаків
account-at = Ви входите через { $provider }, і пароля тут у вас немає.
account-elsewhere = Усюди, де ви ще увійшли, сеанс закінчиться.

## Сторінки для всіх

solved-questions = Розв’язані питання
published-of = Розв’язані питання: { $space }
published-in = Про що питали і що розв’язали в { $space }.
published-said = Що було сказано
published-alike = Схоже
published-names = Люди цієї розмови тут під іншими іменами. Хто в ній писав і хоче, щоб вона зникла, просить того, хто доглядає за каналом, або каже там боту: «забудь мене».
readers-ask = Поставити питання
readers-about = Відповідь приходить одразу — з того, що тут уже розв’язано.
readers-kept = Ваше питання прочитає той, хто доглядає за цим місцем, а розв’язане воно може бути показане тут під іншим іменем. Ваш браузер тридцять днів зберігає номер, щоб відповіді бачив лише він; напишіть «забудь мене», і все, що ви питали, буде стерто.
readers-wait = Той, хто доглядає за цим місцем, бачить, що вам не допомогли, і може відповісти. Запитайте ще раз пізніше.
readers-more = Запитати про інше
readers-nothing = Поки нічого не опубліковано.

## Чому відмовлено

refused-not-there = Тут цього немає
refused-bad = Так не вийде
refused-too-large = Це забагато
    .sentence = Надіслано більше, ніж тут читають: скоротіть текст або надішліть менше за раз.
refused-too-many-questions = Забагато питань
    .sentence = Зараз надходить стільки питань, що ваше не прийнято: надішліть його ще раз за хвилину.
refused-lacks = Не дозволено
    .ingest = Вам не можна надсилати сюди повідомлення: потрібне право `ingest`.
    .ask = Вам не можна тут питати: потрібне право `ask`.
    .read = Вам не можна це читати: потрібне право `read`.
    .admin = Вам не можна тут нічого змінювати: потрібне право `admin`.
    .page-of-others = Це надіслала чужа сторінка, тому нічого не змінено. Зробіть це на цих сторінках.
    .address = Це не адреса цих сторінок: відкрийте їх як localhost чи 127.0.0.1 або за адресою з `api.public_url`.
    .operator = Це стосується всієї установки: потрібне право `admin` у просторі `system`.
    .no-password = Хто увійшов за посиланням, не має пароля: ця сторінка для людей з обліковим записом.
refused-busy = Не одразу
refused-waits = Це в журналі
    .sentence = Прохання збережено, але за десять секунд не виконано. Його виконають, щойно ролі, які це роблять, запрацюють і наздоженуть: не надсилайте ще раз.
refused-sign-in = Увійдіть
    .sentence = На цих сторінках те, що писали люди, тому вони для тих, хто доглядає за установкою, і для людей з обліковим записом. Відкрийте посилання, яке надрукував під час запуску `threadlore up`, або надрукуйте нове: `threadlore sign-in`.
refused-not-yet = Ще ні
    .sentence = Процес запускається або зупиняється: спробуйте трохи згодом.
refused-away = Не зараз
    .sentence = База даних або журнал зараз не відповідає: спробуйте трохи згодом. Надіслане могло бути прийняте; подивіться, перш ніж надсилати знову.
refused-provider = Увійти не вдалося
    .sentence = Там, де входять, зараз не відповідають, або відповіді не можна вірити: спробуйте ще раз. Подробиці в журналі threadlore у стандартному потоці помилок.
refused-failed = Щось зламано
    .sentence = Це помилка threadlore, подробиці в його журналі у стандартному потоці помилок.
refused-link = За цим посиланням уже входили, або йому більше десяти хвилин, або його скопіювали не повністю. Нове друкує `threadlore sign-in`.
refused-no-page = Такої сторінки немає.
refused-not-published = Такої сторінки немає, або її канал не опубліковано. Хто доглядає за простором, знайде випадок після входу.
refused-after = `after` нічого не називає в цьому просторі: потрібне те, що в сторінки стоїть як `next`.
refused-no-space = Простору «{ $name }» тут немає.
refused-no-channel = Каналу «{ $name }» у цьому просторі немає.
refused-no-outcome = Наслідку «{ $name }» немає: усі вони в docs/outcomes.md.
refused-rating = Немає оцінки «{ $rating }»: вона helped, failed або порожньо, щоб забрати її назад.
refused-cookies = Браузер не надіслав нашого cookie, і відповідь не можна було б показати лише вам: дозвольте cookie цієї сторінки, відкрийте її знову й запитайте.
refused-no-answer-yet = Для цього браузера тут відповіді немає. Якщо ви щойно запитали, гляньте ще раз за мить.
refused-forgotten = Ви просили вас забути, тому нічого з надісланого цим браузером не зберігається і не отримує відповіді. Якщо все ж хочете запитати, видаліть cookie цієї сторінки й відкрийте її знову.
refused-no-state = Стану випадку «{ $name }» немає.
refused-no-tier = Рівня пам’яті «{ $name }» немає.
refused-no-topic = Недоставленого з «{ $name }» немає.
refused-no-projection = Проєкції «{ $name }» немає.
refused-time = «{ $time }» — не час: пишіть так: 2026-11-23T08:00:00Z.
refused-no-case = Такого випадку в цьому просторі немає.
refused-no-other-case = Такого випадку в цьому просторі немає: назвіть його посиланням або ідентифікатором.
refused-no-question = Такого питання в цьому просторі немає.
refused-no-letter = У цьому просторі немає такого недоставленого запису.
refused-no-person = Ніхто з таким ідентифікатором у цьому просторі нічого не писав.
refused-no-build = Збірки з таким номером немає.
refused-no-memory = Під цим ідентифікатором нічого не запам’ятовано.
refused-length = у тексті { $characters } знаків, а потрібно від 1 до { $most }: його почують люди
refused-case-erased = Цей випадок стерто: його тексти зникли назавжди, виправляти нічого.
refused-question-erased = Слова цього питання стерто, тому нікому не можна сказати, про що воно було.
refused-exchange = В обміну немає своїх слів, які можна забути: зітріть його випадок або видаліть питання.
refused-not-sure = Нічого не стерто: позначте, що тексти зникнуть назавжди.
refused-form = Це не форма цієї сторінки ({ $what }): відкрийте її знову.
refused-address = «{ $address }» — не адреса документації: вона починається з https:// або http://.
refused-publish = Не опубліковано, і більше нічого не змінено, бо читати може не кожен: скажіть, що може кожен, або не публікуйте.

## Налаштування встановлення

settings = Налаштування
settings-what = З чим працює процес, який показує цю сторінку. Налаштування змінюють у файлі або оточенні процесу: він читає їх під час запуску. Секрети не показуються.
settings-version = Версія
settings-roles = Ролі:
settings-set = Задано тут
settings-none-set = Нічого: усі налаштування типові.
settings-tables = Усі налаштування, за таблицями
settings-top = Початок файлу
settings-nothing = нічого
settings-default = Типово
settings-no-table = Налаштувань з іменем { $name } немає.

## Токени

tokens = Токени програм
tokens-what = Програма, яка використовує HTTP API, власний шлюз або асистент надсилає токен із кожним запитом. Кожен діє лише в цьому просторі й може те, що позначено. Відкликаний перестає діяти щонайпізніше за п’ять секунд.
tokens-none = Поки немає.
tokens-made = Токен для { $name }
tokens-once = Скопіюйте його зараз: він не зберігається і більше не показується.
tokens-new = Ще один токен
tokens-name = Як він називається
tokens-may = Що він може
tokens-days = Скільки днів він діє
tokens-make = Створити
tokens-until = діє до { $time }
tokens-ran-out = минув
tokens-revoked = відкликано { $time }
tokens-used = останній раз { $time }
tokens-not-used = ще не використано
tokens-made-by = створив { $by }, { $time }
tokens-revoke = Відкликати
right-ingest = надсилати повідомлення
right-ask = питати
right-read = читати
right-admin = змінювати все тут
refused-token-name = Токен має ім’я від 1 до 100 знаків, без керівних знаків.
refused-no-rights = Без жодного права з цього немає користі: оберіть хоча б одне.
refused-days = Токен діє від 1 до 3650 днів, а запитано { $days }.
refused-no-token = У цьому просторі немає такого токена.

## Облікові записи

accounts = Облікові записи людей
accounts-what = Хто може входити на ці сторінки й щось робити в цьому просторі. Кожен має обліковий запис з іменем, а пароль обирають за посиланням. Відібрані права перестають діяти щонайпізніше за п’ять секунд.
accounts-provider = Хто має обліковий запис тут, може увійти й через { $provider }: тоді пароль не потрібен.
accounts-link-of = Посилання для { $name }
accounts-link-what = Надішліть його лише цій людині: хто його має, той обере за ним пароль, один раз. Воно діє до { $time }.
accounts-none = Поки немає. Хто доглядає за установкою, входить за посиланням.
accounts-give = Дати комусь права
accounts-name = Ім’я облікового запису
accounts-signs = Малі латинські літери, цифри та . _ - + @, наприклад адреса пошти. Хто вже має обліковий запис, зберігає свій пароль.
accounts-may = Що дозволено
accounts-signed-in = останній вхід { $time }
accounts-not-yet = ще не входили
accounts-no-password = пароля ще немає
accounts-given-by = дав { $by }, { $time }
accounts-change = Змінити
accounts-link = Посилання для нового пароля
accounts-remove = Відібрати права
join = Оберіть пароль
join-what = У вас тут обліковий запис { $name }. З цим іменем і паролем, який ви зараз оберете, ви входите відтепер.
join-do = Обрати й увійти
refused-account-name = Ім’я облікового запису складається з 1–100 знаків a–z, 0–9, «.», «_», «-», «+» та «@».
refused-account-ingest = Сторінки не надсилають повідомлень, тож право «ingest» там нікому не потрібне: воно для токенів програм.
refused-no-account = Жоден обліковий запис із таким іменем не має прав у цьому просторі.
refused-account-link = Пароль цього облікового запису ви замінити не можете: він ваш або може те, чого не можете ви. Свій пароль змінюють за своїм іменем угорі сторінки.
refused-password = У паролі від { $least } до { $most } байтів.
refused-invitation = Це посилання вже використано, воно старше за сім днів, обрізане під час копіювання, або ваші права відтоді змінилися. Попросіть нове там, де його отримали.
refused-password-changed = Ваш пароль тієї ж миті змінили в іншому місці: увійдіть знову.
