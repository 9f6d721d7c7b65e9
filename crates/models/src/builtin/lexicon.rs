//! Words and phrases by which prose is judged, lower case, without apostrophes.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// A set of words, built when it is first used.
pub(super) struct Words(LazyLock<HashSet<&'static str>>);

impl Words {
    const fn new(make: fn() -> HashSet<&'static str>) -> Self {
        Self(LazyLock::new(make))
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

fn set(words: &'static str) -> HashSet<&'static str> {
    words.split_whitespace().collect()
}

/// A list of phrases, indexed by first word when it is first used.
pub(super) struct Phrases(LazyLock<HashMap<&'static str, Vec<&'static str>>>);

impl Phrases {
    const fn new(make: fn() -> HashMap<&'static str, Vec<&'static str>>) -> Self {
        Self(LazyLock::new(make))
    }

    /// The longest phrase with which a text begins. The text is in plain words.
    pub(super) fn at_start(&self, plain: &str) -> Option<&'static str> {
        let first = plain.split(' ').next()?;
        let phrases = self.0.get(first)?.iter().copied();
        let begins = |phrase: &&str| {
            plain
                .strip_prefix(phrase)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        phrases.filter(begins).max_by_key(|phrase| phrase.len())
    }

    /// Whether a phrase stands anywhere in a text of plain words.
    pub(super) fn within(&self, plain: &str) -> bool {
        let starts = plain.match_indices(' ').map(|(at, _)| at + 1);
        std::iter::once(0)
            .chain(starts)
            .any(|at| self.at_start(&plain[at..]).is_some())
    }

    /// Whether a word is a phrase by itself.
    pub(super) fn has(&self, word: &str) -> bool {
        self.0
            .get(word)
            .is_some_and(|phrases| phrases.contains(&word))
    }
}

fn phrases(list: &'static str) -> HashMap<&'static str, Vec<&'static str>> {
    let mut index: HashMap<&'static str, Vec<&'static str>> = HashMap::new();
    for phrase in list.split(',').map(str::trim) {
        let first = phrase.split(' ').next().unwrap_or_default();
        index.entry(first).or_default().push(phrase);
    }
    index
}

/// Things that technical talk is about.
pub(super) static TECHNICAL: Words = Words::new(|| {
    set(
        "account ac3 acpi adapter address admin adobe alsa alsamixer mute muted unmute amarok amd \
         android apache apache2 api app appium apps application applications apt apt-get aptitude \
         ati audio authentication autostart avi backup bar bash beryl binary bios bluetooth boot \
         booting bootloader browser buffer bug build burn burner cable cache cairo card cd cdrom \
         chmod chrome chromium cli client cluster codec codecs command commands compile compiler \
         compiz composer config configuration configure console container containers core cpu \
         crash crashed crashes crashing cron cups daemon data database db deb debug default \
         delete dependencies dependency desktop device devices dhcp dir directories directory \
         disc disk display dns docker dockerfile docs domain download downloading dpkg drive \
         driver drivers drives dual dual-boot dvd editor email emacs emulator endpoint \
         environment error errors eth0 ethernet event evolution exception express ext2 ext3 ext4 \
         extension fat32 fdisk file files filesystem firefox firewall firmware flash folder \
         folders font fonts format formatted framework freeze freezes frozen fsck fstab ftp \
         function gb gcc gconf gdm gedit geforce ghz gimp git github gitter gksu gksudo gnome \
         gparted gpg gpu graphics grub gtk gui hang hangs harddrive hardware hdd header headers \
         hibernate home host hostname html http https icon icons ide image images initrd input \
         install installed installer installing installation instance integration intel interface \
         internet ip ipod iptables irc iso java javascript jar jdk jre json kde kernel key \
         keyboard keyring kill konqueror kubernetes kubuntu lan laptop lamp library lib libs \
         lightdm link linux-headers live livecd load loading lock locale log login logs lvm mac \
         machine mail mail-server makefile manager memory menu method mic microphone midi mirror \
         mkdir mode modem module modules modprobe monitor mongodb mount mounted mounting mouse \
         movie mp3 mplayer mutt mysql nano nautilus ndiswrapper network networking \
         network-manager nfs nginx nic node nodejs npm ntfs ntfs-3g nvidia office opengl \
         openoffice opera option options os outlook output package packages pacman panel parallel \
         partition partitions partitioning passwd password patch path pdf perl permission \
         permissions php phone pidgin ping pip plugin plugins port ports postfix postgres \
         postgresql ppa print printer printing process processes program programs prompt protocol \
         proxy python query queue raid ram reboot rebooting recovery reinstall registry release \
         remote remove repo repos repositories repository request resolution response restart \
         restore rhythmbox root route router rpm ruby rules samba sata scanner schema screen \
         screens screensaver script scripts scsi sdk selenium server servers service services \
         session settings setup sftp share shared shell shortcut shutdown skype smb smtp socket \
         software sound source sources sources.list speaker speakers sql ssd ssh ssl startup \
         storage stream string sudo suspend svn swap swarm symlink sync synaptic syntax sysfs \
         syslog system systemd tab tar tar.gz taskbar tcp terminal test thread thunderbird \
         timeout token tool toolbar totem touchpad tty type udev umount uninstall unetbootin \
         unity unmount unpack usb stick update updates updating upgrade upgraded upgrading \
         usplash user username users usr utf-8 uuid variable version versions video vim virtual \
         virtualbox virtualhost vlc vm vmware vnc volume volumes vpn wallpaper webcam webdriver \
         webpage website wicd widget wifi window windows wine wireless wlan0 wpa write wrapper \
         wubi x11 xchat xfce xgl xmms xml xorg xorg.conf xp xserver xubuntu yaml yum zip zsh lxde \
         lubuntu menu.lst menulst tor torrent файл файлы файла папка каталог диск раздел драйвер \
         видеокарта звук сеть сервер пакет пакеты установка установить версия ошибка ошибку экран \
         принтер загрузка ядро терминал консоль команда команду пароль порт база настройки \
         настройка интернет wi-fi вайфай обновление скрипт браузер файли теки тека драйвери \
         мережа мережу помилка помилку встановити встановлення версія екран завантаження пакунок \
         пакунки оновлення порти паролі команди налаштування שרת קובץ קבצים תיקייה מסך רשת התקנה \
         להתקין גרסה שגיאה מדפסת סיסמה פקודה מסוף דיסק דרייבר חבילה הגדרות עדכון דפדפן אינטרנט \
         fichier dossier disque pilote serveur réseau paquet erreur écran imprimante commande \
         passe noyau carte mise archivo carpeta disco controlador servidor red paquete instalar \
         pantalla impresora comando contraseña tarjeta núcleo actualización datei ordner \
         festplatte treiber netzwerk paket installieren fehler bildschirm drucker befehl passwort \
         karte grafikkarte aktualisierung einstellungen",
    )
});

/// Words of instructions.
pub(super) static IMPERATIVE: Words = Words::new(|| {
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
         dodaj usuń",
    )
});

/// Words that state that something is wrong or wanted.
pub(super) static TROUBLE: Words = Words::new(|| {
    set(
        "problem problems error errors issue issues trouble fail fails failed failing failure \
         cant cannot couldnt wont doesnt didnt isnt broken broke crash crashes crashed crashing \
         freezes freezing hangs stuck unable missing lost wrong corrupt denied refused refuses \
         want need wanna not no never stopped stops gone disappeared disappears trying help how \
         why unmet nothing invalid fatal slow проблема проблемы ошибка ошибку ошибки работает \
         запускается могу помогите хочу нужно надо почему помилка помилку проблеми працює \
         запускається можу допоможіть треба чому не нет בעיה שגיאה עובד נכשל רוצה צריך איך למה לא \
         problème erreur marche fonctionne pas besoin pourquoi comment problema fallo funciona \
         puedo necesito cómo porqué fehler geht funktioniert nicht kann brauche warum wie errore \
         posso erro nie działa błąd",
    )
});

/// Beginnings of lines that are no instruction.
pub(super) static CHATTER: Phrases = Phrases::new(|| {
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

/// Phrases that make a line no instruction wherever they stand.
pub(super) static NO_INSTRUCTION: Phrases = Phrases::new(|| {
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
         logs, check the logs, check the log, all i can suggest, read the wiki",
    )
});

/// Beginnings by which a helper speaks of himself and still advises.
pub(super) static ADVISERS: Phrases = Phrases::new(|| {
    phrases(
        "i would, id, i suggest, i recommend, i think you, i believe you, i guess you, id \
         suggest, id recommend, i usually just, i think its, i believe its, i think the",
    )
});

/// Words after which a verb is an instruction.
pub(super) static BEFORE_IMPERATIVE: Words = Words::new(|| {
    set(
        "then and just or to you u should can could must please need simply first now lets either \
         also by have only always maybe probably надо нужно можно просто потом и треба потрібно \
         можна потім та і צריך ואז פשוט faut puis et debes puedes luego y musst kannst dann und",
    )
});

/// Beginnings of a problem that only continues what was said before.
pub(super) static CONTINUING: Phrases = Phrases::new(|| {
    phrases(
        "but, and, or, ok, okay, yes, no, yeah, yep, nope, well, then, that, thats, it, its, \
         also, oh, ah, because, cuz, lol, thanks, thank, thx, which, ya, sure, right, true, hmm, \
         ive got it, is it, does it, is that, will that, would that, so that, so it, so if, so \
         you, so can, so what, so is, so i, this, these, those, they, he, she, what about, how \
         about, you, your, same, not, like, actually, i mean, i did, i tried that, i know, are \
         you, have you, did you, do you have, you can, what if, with, isnt, wasnt, arent, ooh, i \
         was thinking, was thinking, hundreds, ahh, aha",
    )
});

/// How an asker takes a question back.
pub(super) static TAKEN_BACK: Phrases = Phrases::new(|| {
    phrases("nevermind, never mind, nvm, nm, forget it, ignore that, wrong window, wrong channel")
});

/// Questions about the talk itself.
pub(super) static ABOUT_THE_TALK: Phrases = Phrases::new(|| {
    phrases(
        "in here, anyone here, anybody here, any experience, have experience, anyone awake, \
         anyone alive, which channel, what channel, right channel, ask here, this channel, a \
         channel, the channel, right place, off topic, offtopic, anyone around, anybody around, \
         who here, irc channel, channel for, ask a question, ask questions, how are you, ubuntu \
         guys, what do you guys, do you guys, favorite, favourite, opinion, your thoughts, anyone \
         else have, anyone successful, anyone tried, anyone used, has anybody used, has anyone \
         used, has anyone tried, did somebody, opinions, is better, think about, everyday \
         machine, recommend, book, anyone think",
    )
});

/// Beginnings that lead up to a question or a request and are left out of a title.
pub(super) static LEAD_INS: Phrases = Phrases::new(|| {
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
         помогите, вопрос, кто знает, народ, ребята, привіт, вітаю, доброго дня, добрий день, \
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

/// Words too common to name a topic.
pub(super) static COMMON: Words = Words::new(|| {
    set(
        "a about after again all also am an and any anybody anyone are as at back be because been \
         before but by can cant could did do does doesnt doing dont down else even every for from \
         get gets getting go going good got had has have having he hello help here hey hi how i \
         id if ill im in into is isnt it its ive just know like lot make many me more much my \
         need new no not now of off ok on one only or other our out over please really run same \
         say says see should show so some someone something still stuff sure take tell than thank \
         thanks that thats the their them then there they thing things think this those to too \
         tried try trying up us use used using very want was way we well were what when where \
         which while who why will with without wont work working works would yes yet you your \
         youre",
    )
});

/// Words that may stand before an instruction and say nothing.
pub(super) static FILLERS: Phrases = Phrases::new(|| {
    phrases(
        "yes, yeah, yep, no, ok, okay, well, then, so, and, ah, oh, just, maybe, sure, right, \
         hmm, but, you",
    )
});

/// How an instruction may be put as a question.
pub(super) static SUGGESTIONS: Phrases =
    Phrases::new(|| phrases("try, tried, why dont you, cant you, why not"));

/// How advice sounds without a verb of its own.
pub(super) static ADVICE: Phrases = Phrases::new(|| {
    phrases(
        "you need, you can, you should, you have to, you could, you must, u need, u can, youll \
         need, you want to, there is a, theres a, its in, it is in, its called, make sure, its \
         under, is in the, its the, needs to be, has to be, should be, should work, will work, \
         would work, will do, should do, does that, is called, the command is, the package is, is \
         the package",
    )
});

/// Commands that need no other sign to be known as such.
pub(super) static COMMANDS: Words = Words::new(|| {
    set(
        "sudo apt-get aptitude dpkg modprobe chmod chown grep ifconfig lspci iwconfig fdisk \
         gksudo gksu umount mkdir dmesg lsusb npm pip systemctl wget curl ssh xrandr apt killall",
    )
});

/// Words that technical talk is full of: they tell no case from another.
pub(super) static PLAIN: Words = Words::new(|| {
    set(
        "ubuntu linux file files install installed installing system program programs command \
         commands error errors problem type default option options version test data home bar \
         tool machine load loading link format application applications app apps key user users \
         output write source setup remove delete menu address core mode windows software package \
         packages root restart reboot update download start sudo account run window screen \
         settings event function string method google request input tab release live manager os \
         virtual dual path parallel desktop configuration config configure versions internet gb",
    )
});
