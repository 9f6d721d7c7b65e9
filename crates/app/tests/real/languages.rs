//! The pages in every language that the bot speaks.

use std::collections::BTreeSet;

use reqwest::header;

use super::browser::{Browser, link_on, said};
use super::desk::{ISO, desk};
use super::pages::up;
use super::published::publish;
use super::readers::open;

/// A language, its direction, and its word for a case that is solved.
const LANGUAGES: [(&str, &str, &str); 5] = [
    ("en", "ltr", "solved"),
    ("de", "ltr", "gelöst"),
    ("ru", "ltr", "решён"),
    ("uk", "ltr", "розв’язаний"),
    ("he", "rtl", "פתור"),
];

fn page_in(browser: &Browser, path: &str, wanted: &str) -> (u16, String) {
    let request = browser.ask(path).header(header::ACCEPT_LANGUAGE, wanted);
    let response = request.send().expect("an answer");
    let status = response.status().as_u16();
    (status, response.text().expect("text"))
}

/// What stands on a page in English words, two or more in a row, and was not written by people or programs.
fn words_of_ours(page: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let (_, body) = page.split_once("<body>").expect("a body");
    let (body, _) = body.split_once("<footer>").expect("a footer");
    for node in body.split('<') {
        let Some((tag, text)) = node.split_once('>') else {
            continue;
        };
        let of_people = ["bdi", "code", "textarea", "option value=\"chat:", "time"];
        let is_of_people =
            of_people.iter().any(|of| tag.starts_with(of)) || tag.contains("dir=\"auto\"");
        let words = text.split_whitespace();
        let words = words.filter(|word| word.chars().all(|c| c.is_ascii_alphabetic()));
        if !is_of_people && words.count() >= 2 {
            found.insert(text.to_owned());
        }
    }
    found
}

#[test]
fn every_page_is_in_the_language_of_who_looks() {
    let place = desk();
    publish(&place, "yes");
    open(&place, "yes");
    let ran = place.run_with(&["chat"], &["bob: @lore what is the tea of the house?"]);
    assert!(ran.out.contains("I know nothing"), "{}", ran.out);
    let (owner, link) = up(&place);
    let browser = Browser::signed_in(&link);
    let home = browser.page("/s/default");
    let question = link_on(&home, "/s/default/questions/");
    let cases = browser.page(&format!("/s/default/cases?q={}", ISO.replace(' ', "+")));
    let case = link_on(&cases, "/s/default/cases/");
    let public = case.replace("/s/default/cases/", "/case/");
    let answered = browser.page("/s/default/questions");
    assert!(answered.contains(&question), "{answered}");
    let paths = [
        ("/s/default", 200),
        ("/s/default/report", 200),
        ("/s/default/graph", 200),
        ("/s/default/graph?about=tea", 200),
        ("/s/default/questions", 200),
        (&question, 200),
        ("/s/default/cases", 200),
        (&case, 200),
        ("/s/default/memories", 200),
        ("/s/default/channels", 200),
        ("/s/default/imports", 200),
        ("/s/default/tokens", 200),
        ("/s/default/accounts", 200),
        ("/join?link=none", 400),
        ("/s/default/channel?name=chat%3Adesk", 200),
        ("/s/default/messages?channel=chat%3Adesk", 200),
        ("/s/default/ask?q=How+do+I+mount+an+iso+image", 200),
        ("/health", 200),
        ("/settings", 200),
        ("/settings?table=api", 200),
        ("/settings?table=none", 404),
        ("/knowledge/default", 200),
        ("/knowledge/default/ask", 200),
        ("/knowledge/default/asked/none", 404),
        (&public, 200),
        ("/s/default/cases/none", 404),
        ("/s/default/cases?state=none", 404),
        ("/account", 403),
    ];
    for (path, expect) in paths {
        for (language, direction, _) in LANGUAGES {
            let (status, page) = page_in(&browser, path, language);
            assert_eq!(status, expect, "{path}");
            let html = format!("<html lang=\"{language}\" dir=\"{direction}\">");
            assert!(page.contains(&html), "{path}: {page}");
            // German has the letters of English; it has words for the same names.
            if !["en", "de"].contains(&language) {
                let left = words_of_ours(&page);
                assert!(left.is_empty(), "{path} in {language}: {left:?}");
            }
        }
    }
    for (language, _, solved) in LANGUAGES {
        let (_, page) = page_in(&browser, &case, language);
        assert!(
            page.contains(&format!("<span class=\"mark solved\">{solved}</span>")),
            "{page}"
        );
    }
    owner.stop();
}

#[test]
fn who_chose_a_language_keeps_it() {
    let place = desk();
    let (owner, link) = up(&place);
    let mut browser = Browser::signed_in(&link);
    let choose = |browser: &Browser, code: &str, from: &str| {
        let form = browser.form("/language", &[("code", code)]);
        let form = form.header(header::ORIGIN, &browser.base);
        form.header(header::REFERER, from)
            .send()
            .expect("an answer")
    };
    let from = format!("{}/s/default/cases?state=solved", browser.base);
    let response = choose(&browser, "he", &from);
    assert_eq!(response.status(), 303);
    assert_eq!(
        said(&response, header::LOCATION),
        "/s/default/cases?state=solved"
    );
    let cookie = said(&response, header::SET_COOKIE);
    let (chosen, _) = cookie.split_once(';').expect("a cookie");
    browser.cookie = format!("{}; {chosen}", browser.cookie);
    // What was chosen counts more than what the browser wants.
    let (_, page) = page_in(&browser, "/s/default", "ru");
    assert!(page.contains("<html lang=\"he\" dir=\"rtl\">"), "{page}");
    let response = browser.ask("/s/default").send().expect("an answer");
    assert_eq!(said(&response, header::CONTENT_LANGUAGE), "he");
    assert!(said(&response, header::VARY).contains("accept-language"));
    // What programs are told stays English.
    let response = browser.ask("/api/v1/nothing").send().expect("an answer");
    assert!(
        response
            .text()
            .expect("text")
            .contains("There is no such route")
    );
    // Nobody is led elsewhere, and a language that is not spoken is refused.
    for (from, to) in [
        ("https://evil.example//evil.example/x", "/evil.example/x"),
        ("https://evil.example", "/"),
        ("not an address at all", "/"),
        ("", "/"),
    ] {
        let response = choose(&browser, "de", from);
        assert_eq!(said(&response, header::LOCATION), to, "{from}");
    }
    assert_eq!(choose(&browser, "tlh", &from).status(), 400);
    // No page of somebody else chooses.
    let form = browser.form("/language", &[("code", "de")]);
    let form = form.header(header::ORIGIN, "https://evil.example");
    assert_eq!(form.send().expect("an answer").status(), 403);
    owner.stop();
}
