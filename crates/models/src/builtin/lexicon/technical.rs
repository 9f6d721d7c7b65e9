//! Words of technical talk.

use super::{Words, set};

/// Things that technical talk is about.
pub(in super::super) static TECHNICAL: Words = Words::new(|| {
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
         karte grafikkarte aktualisierung einstellungen ملف ملفات خادم شبكة حزمة تثبيت خطأ طابعة \
         الطابعة الملف الخادم الشبكة شاشة الشاشة إنترنت تحديث برنامج جهاز أوبونتو",
    )
});

/// Commands that need no other sign to be known as such.
pub(in super::super) static COMMANDS: Words = Words::new(|| {
    set(
        "sudo apt-get aptitude dpkg modprobe chmod chown grep ifconfig lspci iwconfig fdisk \
         gksudo gksu umount mkdir dmesg lsusb npm pip systemctl wget curl ssh xrandr apt killall",
    )
});

/// Words that are frequent in technical talk, and do not distinguish cases.
pub(in super::super) static PLAIN: Words = Words::new(|| {
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
