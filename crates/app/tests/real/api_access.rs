//! Who may use the HTTP API, and from where.

use reqwest::Method;
use reqwest::blocking::Client;
use reqwest::header;
use serde_json::{Value, json};

use super::api::{Served, board as board_of, problem, sending, with};
use super::browser::said;
use super::desk::desk;
use super::model::a_failed_look;

/// Every route that the document has, for who has no token, one of another space, or not the right.
#[test]
fn no_route_says_a_byte_of_a_space_to_who_may_not_see_it() {
    let place = desk();
    board_of(&place);
    a_failed_look(&place, "board");
    let served = Served::on(place, &[]);
    let board = served.token("board", "ingest,read,ask,admin");
    let cases = with(200, served.get("/spaces/board/cases", &board));
    let case = cases["cases"][0]["case"]
        .as_str()
        .expect("a case")
        .to_owned();
    let other = served.token("default", "ingest,read,ask,admin");
    // One of the board's, which the other space's token names as its own.
    let letters = with(200, served.get("/spaces/board/dead-letters", &board));
    let letter = letters["letters"][0]["letter"].as_str().expect("a letter");
    let document = with(
        200,
        served
            .client
            .get(format!("{}/openapi.json", served.base))
            .send()
            .expect("an answer"),
    );
    let paths = document["paths"].as_object().expect("paths");
    let mut routes = 0;
    for (template, methods) in paths {
        for (method, route) in methods.as_object().expect("methods") {
            routes += 1;
            let method: Method = method.to_uppercase().parse().expect("a method");
            let body = json!({ "question": "zanzibar", "solution": "x", "text": "x", "channel": "chat:board" });
            let path = |space: &str| {
                let path = template.replace("{space}", space).replace("{case}", &case);
                let path = path.replace("{question}", &case).replace("{memory}", &case);
                let path = path.replace("{person}", &case).replace("{token}", &case);
                let path = path.replace("{account}", &case);
                path.replace("{topic}/{partition}/{offset}", letter)
            };
            let is_of_installation = !template.contains("{space}");
            let send = |path: &str, token: Option<&Value>| {
                let request = served
                    .client
                    .request(method.clone(), format!("{}{path}", served.base));
                let request = match token {
                    Some(token) => request.bearer_auth(token["token"].as_str().expect("a token")),
                    None => request,
                };
                sending(request, &body).send().expect("an answer")
            };
            // Nobody.
            let nobody = send(&path("board"), None);
            assert_eq!(said(&nobody, header::WWW_AUTHENTICATE), "Bearer");
            problem(401, "token", nobody);
            if is_of_installation {
                // Even to who may do everything in one space.
                let told = problem(403, "`system`", send(template, Some(&board)));
                assert!(!told.to_string().contains("zanzibar"), "{told}");
                continue;
            }
            // Another space's token sees no difference between a space and none.
            let foreign = problem(404, "no space", send(&path("board"), Some(&other)));
            let unknown = problem(404, "no space", send(&path("nowhere"), Some(&other)));
            let same = unknown.to_string().replace("nowhere", "board");
            assert_eq!(foreign.to_string(), same, "{template}");
            // Nor does its own space have what is another's.
            let named = [
                "{case}",
                "{question}",
                "{memory}",
                "{person}",
                "{offset}",
                "{token}",
                "{account}",
            ];
            // Of accounts it may make its own.
            let makes = route["operationId"] == "giveRights";
            if !makes && named.iter().any(|name| template.contains(name)) {
                let body = match () {
                    () if template.ends_with("/merge") => json!({ "into": &case }),
                    () if template.contains("{memory}") => json!({ "text": "x" }),
                    () if template.ends_with("/rating") => json!({ "author": "x" }),
                    () => json!({ "solution": "x" }),
                };
                let told = problem(
                    404,
                    "",
                    served.send(method.clone(), &path("default"), &other, &body),
                );
                assert!(!told.to_string().contains("zanzibar"), "{told}");
            }
            // A token without the right.
            let needs = route["operationId"].as_str().expect("an id");
            let lacks = served.token(
                "board",
                if needs.starts_with("ask") {
                    "read"
                } else {
                    "ask"
                },
            );
            let told = problem(
                403,
                "it needs the right",
                send(&path("board"), Some(&lacks)),
            );
            assert!(!told.to_string().contains("zanzibar"), "{told}");
        }
    }
    assert!(routes >= 12, "{routes}");
    // What is said to who may is there at all.
    let told = with(
        200,
        served.get(&format!("/spaces/board/cases/{case}"), &board),
    );
    assert!(told.to_string().contains("zanzibar"), "{told}");
    let told = with(200, served.get("/spaces/default/cases?q=zanzibar", &other));
    assert!(!told.to_string().contains("vault"), "{told}");
}

/// Behind a proxy with TLS other addresses are served, and links name what the proxy is called.
#[test]
fn another_address_needs_a_proxy_with_tls() {
    let place = desk();
    let refused = place.run(&["up", "--listen", "0.0.0.0:0"]);
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(refused.err.contains("api.public_url"), "{}", refused.err);
    let with_url = |url: &str| {
        let mut command = place.command(&["up", "--listen", "0.0.0.0:0"]);
        command.env("THREADLORE__API__PUBLIC_URL", url);
        command
    };
    let plain = place.start(&mut with_url("http://lore.example.org")).end();
    assert_eq!(plain.code, Some(3), "{}", plain.err);
    assert!(plain.err.contains("https://"), "{}", plain.err);
    let mut owner = place.start(&mut with_url("https://lore.example.org"));
    assert!(
        owner.wait_for("https://lore.example.org/sign-in?link="),
        "{}",
        owner.said()
    );
    let said = owner.said();
    let address = said
        .split_whitespace()
        .find_map(|word| word.strip_prefix("http://0.0.0.0:"));
    let port = address
        .expect("where it listens")
        .trim_matches('/')
        .to_owned();
    let client = Client::builder().no_proxy().build().expect("a client");
    let get = |host: &str| {
        let request = client.get(format!("http://127.0.0.1:{port}/sign-in"));
        request
            .header(header::HOST, host)
            .send()
            .expect("an answer")
            .status()
            .as_u16()
    };
    assert_eq!(get("lore.example.org"), 200, "people sign in there");
    assert_eq!(get("evil.example"), 403);
    // So does a link for somebody else, whatever address a program inside uses.
    place.json(&["user", "add", "anna"]);
    let token = place.json(&["token", "create", "a program", "--may", "ask,read,admin"]);
    let link = format!("http://127.0.0.1:{port}/api/v1/spaces/default/accounts/anna/link");
    let link = client
        .post(link)
        .bearer_auth(token["token"].as_str().expect("a token"));
    let made = with(200, link.send().expect("an answer"));
    let link = made["link"].as_str().expect("a link");
    assert!(
        link.starts_with("https://lore.example.org/join?link="),
        "{link}"
    );
    owner.stop();
}
