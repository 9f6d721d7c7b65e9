//! Other languages than English.

use super::*;

#[test]
fn other_languages() {
    let scripts: &[&[Said<'_>]] = &[
        &[
            (
                "оля",
                "привіт, чому не працює драйвер принтера після оновлення?",
                None,
                "?",
            ),
            (
                "ігор",
                "оля: встанови пакет cups і перезапусти сервіс",
                Some(0),
                "",
            ),
            ("оля", "дякую, працює", Some(1), "+"),
        ],
        &[
            (
                "аня",
                "подскажите, как настроить сеть на сервере без графики?",
                None,
                "?",
            ),
            (
                "иван",
                "аня: открой файл /etc/network/interfaces и добавь адрес",
                Some(0),
                "",
            ),
            ("аня", "спасибо, заработало", Some(1), "+"),
        ],
        &[
            ("דנה", "איך להתקין דרייבר מדפסת בלי אינטרנט?", None, "?"),
            (
                "רון",
                "דנה: תוריד את החבילה ותריץ sudo dpkg -i",
                Some(0),
                "",
            ),
            ("דנה", "תודה, עובד", Some(1), "+"),
        ],
        &[
            (
                "zoe",
                "bonjour, pourquoi mon serveur refuse la commande de mise à jour?",
                None,
                "?",
            ),
            (
                "luc",
                "zoe: lance sudo apt-get update puis redémarre",
                Some(0),
                "",
            ),
            ("zoe", "merci ça marche", Some(1), "+"),
        ],
    ];
    for script in scripts {
        let found = extract(&window(script));
        let (title, solution, signal) = only(&found);
        assert!(
            title.chars().next().is_some_and(|c| !c.is_lowercase()),
            "{title}"
        );
        assert!(solution.is_some_and(|solution| !solution.contains(script[0].0)));
        assert_eq!(signal, Some(Signal::Thanks));
    }
}

#[test]
fn words_that_no_list_has_are_understood_by_their_place() {
    let scripts: &[&[Said<'_>]] = &[
        &[
            ("سارة", "كيف أضبط الطابعة بدون برنامج إضافي؟", None, "?"),
            (
                "علي",
                "سارة: افتح لوحة الإعدادات ثم اختر الجهاز من القائمة",
                Some(0),
                "",
            ),
            ("سارة", "شكرا، يعمل الآن", Some(1), "+"),
        ],
        &[
            (
                "eva",
                "¿cómo puedo cambiar el puerto del servidor?",
                None,
                "?",
            ),
            (
                "leo",
                "eva: edita el archivo /etc/app.conf y reinicia",
                Some(0),
                "",
            ),
            ("eva", "gracias, ya funciona", Some(1), "+"),
        ],
        &[
            (
                "uwe",
                "wie kann ich den Treiber der Grafikkarte wechseln?",
                None,
                "?",
            ),
            (
                "kai",
                "uwe: installiere das Paket nvidia-driver-390 neu",
                Some(0),
                "",
            ),
            ("uwe", "danke, es geht jetzt", Some(1), "+"),
        ],
        &[
            ("оля", "як додати нового користувача до групи?", None, "?"),
            (
                "ігор",
                "оля: зайди в розділ доступу і натисни на плюс зверху",
                Some(0),
                "",
            ),
            ("оля", "дякую", Some(1), "t"),
        ],
    ];
    for script in scripts {
        let found = extract(&window(script));
        let (_, solution, signal) = only(&found);
        assert!(solution.is_some(), "{found:?}");
        assert_eq!(signal, Some(Signal::Thanks));
    }
}

#[test]
fn a_question_without_blanks_between_words_is_a_case() {
    let found = extract(&window(&[
        ("li", "怎么在服务器上安装打印机的驱动程序？", None, "?"),
        ("wu", "先更新软件包列表再安装驱动程序就可以。", Some(0), ""),
    ]));
    assert_eq!(found.cases[0].solution_lines, [1]);
}
