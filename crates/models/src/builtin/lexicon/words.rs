//! Single words that show the purpose of a line.

use threadlore_language::EVERYDAY;

use super::{Words, set};

/// Words of instructions.
pub(in super::super) static IMPERATIVE: Words = Words::new(|| {
    set(
        "try use run type install reinstall remove uninstall purge edit open add set change check \
         go click select choose enable disable restart reboot mount unmount umount copy move \
         delete create make download upgrade update put press hit boot kill replace append rename \
         switch configure reconfigure execute paste insert plug unplug turn build compile extract \
         unpack export import log logout login reload link write look uncomment comment modify \
         grab backup format find sudo apt-get apt aptitude dpkg chmod chown mkdir cp mv rm ln vi \
         nano gedit pass define specify unset upload clear попробуй попробуйте установи \
         установите запусти запустите открой откройте используй используйте нужно надо добавь \
         добавьте удали удалите перезапусти перезапустите включи включите выключи поставь \
         поставьте набери проверь проверьте спробуй спробуйте встанови встановіть запустіть \
         відкрий відкрийте використай використайте потрібно треба додай додайте видали видаліть \
         перезапустіть увімкни увімкніть вимкни постав перевір перевірте נסה תנסה תתקין התקן הרץ \
         תריץ פתח תפתח השתמש תשתמש צריך הוסף תוסיף מחק תמחק הפעל תפעיל בדוק תבדוק שנה תשנה essaie \
         essayez installe installez lance lancez ouvre ouvrez utilise utilisez ajoute ajoutez \
         supprime supprimez redémarre redémarrez active activez faut désactive prueba pruebe \
         instala instale ejecuta ejecute abre abra usa añade añada borra borre reinicia reinicie \
         activa desactiva versuch versuche probier probiere installiere starte öffne benutze \
         nutze füge lösche entferne aktiviere deaktiviere musst prova installa esegui apri \
         aggiungi cancella riavvia attiva adicione apague spróbuj zainstaluj uruchom otwórz użyj \
         dodaj usuń جرب جرّب ثبت ثبّت افتح شغل شغّل استخدم احذف أضف أعد غيّر",
    )
});

/// Words that state that something is wrong or wanted.
pub(in super::super) static TROUBLE: Words = Words::new(|| {
    set(
        "problem problems error errors issue issues trouble fail fails failed failing failure \
         cant cannot couldnt wont doesnt didnt isnt broken broke crash crashes crashed crashing \
         freezes freezing hangs stuck unable missing lost wrong corrupt denied refused refuses \
         want need wanna not no never stopped stops gone disappeared disappears trying help how \
         why unmet nothing invalid fatal slow looking проблема проблемы ошибка ошибку ошибки работает \
         запускается могу помогите хочу нужно надо почему помилка помилку проблеми працює \
         запускається можу допоможіть треба чому не нет בעיה שגיאה עובד נכשל רוצה צריך איך למה לא \
         problème erreur marche fonctionne pas besoin pourquoi comment problema fallo funciona \
         puedo necesito cómo porqué fehler geht funktioniert nicht kann brauche warum wie errore \
         posso erro nie działa błąd مشكلة خطأ يعمل أريد أحتاج لا كيف لماذا",
    )
});

/// Words after which a verb is an instruction.
pub(in super::super) static BEFORE_IMPERATIVE: Words = Words::new(|| {
    set(
        "then and just or to you u should can could must please need simply first now lets either \
         also by have only always maybe probably надо нужно можно просто потом и треба потрібно \
         можна потім та і צריך ואז פשוט faut puis et debes puedes luego y musst kannst dann und",
    )
});

/// Words too common to name a topic.
pub(in super::super) static COMMON: Words = Words::new(|| set(EVERYDAY));

/// First words of questions whether something is or can be.
pub(in super::super) static WHETHER: Words =
    Words::new(|| set("is are does do can could should will would has am isnt doesnt cant"));

/// Words by which a writer speaks of himself.
pub(in super::super) static SELF: Words = Words::new(|| {
    set(
        "i im ive my me we our id mine us я мой моя моё мое мои меня мне мной мы нас нам наш наша \
         мій моє мої мене мені ми нас наш אני שלי לי אצלי אנחנו שלנו לנו ich mein meine mir mich wir \
         je mon ma mes moi nous yo mi mis me nosotros io mio mia meu minha eu",
    )
});

/// Words of which "not" says nothing that is wrong.
pub(in super::super) static BELITTLED: Words = Words::new(|| {
    set("sure that really so a an the my only just for in even like what yet too very if as at all")
});

/// Words before a remark that neither begin nor continue anything.
pub(in super::super) static INTERJECTIONS: Words =
    Words::new(|| set("hmm hm ok okay well oh ah lol so actually also yo um uh"));

/// Words for things that do not work.
pub(in super::super) static FAULTS: Words = Words::new(|| {
    set(
        "error errors fail fails failed failing failure cant cannot wont doesnt isnt broken broke crash crashes \
         crashed freezes hangs unable missing lost wrong corrupt denied refused refuses \
         stopped disappeared ошибка ошибку ошибки помилка помилку שגיאה fehler erreur error fallo \
         errore erro błąd خطأ مشكلة",
    )
});

/// Words that join a question to its introduction.
pub(in super::super) static JOINING: Words =
    Words::new(|| set("of about on with for regarding out that"));
