//! The HTTP API, as a program uses it, and as one that means harm does.

use reqwest::Method;
use reqwest::blocking::{Client, RequestBuilder, Response};
use reqwest::header;
use serde_json::{Value, json};

use super::browser::said;
use super::desk::{DESK, ISO, WIFI, desk};
use super::interop::{packages, run};
use super::support::{Place, Running, look_until};

/// A process that serves it on the desk's chat.
pub(crate) struct Served {
    pub(crate) place: Place,
    _owner: Running,
    pub(crate) base: String,
    /// Signs the operator in, once.
    pub(crate) link: String,
    pub(crate) client: Client,
}

impl Served {
    pub(crate) fn new() -> Self {
        let place = desk();
        board(&place);
        Self::on(place, &[])
    }

    pub(crate) fn on(place: Place, settings: &[(&str, &str)]) -> Self {
        let mut command = place.command(&["up", "--listen", "127.0.0.1:0"]);
        command.envs(settings.iter().copied());
        let mut owner = place.start(&mut command);
        assert!(owner.wait_for("sign-in?link="), "{}", owner.said());
        let said = owner.said();
        let link = said
            .split_whitespace()
            .find(|word| word.contains("/sign-in?link="));
        let (base, _) = link
            .expect("a link")
            .split_once("/sign-in")
            .expect("a link");
        Self {
            base: format!("{base}/api/v1"),
            link: link.expect("a link").to_owned(),
            client: Client::builder().no_proxy().build().expect("a client"),
            place,
            _owner: owner,
        }
    }

    /// A token for a space with these rights.
    pub(crate) fn token(&self, space: &str, may: &str) -> Value {
        let made = [
            "token",
            "create",
            "a program",
            "--space",
            space,
            "--may",
            may,
        ];
        self.place.json(&made)
    }

    pub(crate) fn request(&self, method: Method, path: &str, token: &Value) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.base));
        request.bearer_auth(token["token"].as_str().expect("a token"))
    }

    pub(crate) fn get(&self, path: &str, token: &Value) -> Response {
        self.request(Method::GET, path, token)
            .send()
            .expect("an answer")
    }

    pub(crate) fn send(&self, method: Method, path: &str, token: &Value, body: &Value) -> Response {
        let request = self.request(method, path, token);
        sending(request, body).send().expect("an answer")
    }
}

/// What another space has, in words that are nowhere else.
const SECRET: &str = r#"{"type":"message","id":"1","author":"zoe","name":"zoe","text":"How do I open the zanzibar vault?","at":"2024-05-01T12:00:00Z"}
{"type":"message","id":"2","author":"yan","name":"yan","text":"turn the zanzibar wheel left","reply_to":"1","at":"2024-05-01T12:01:00Z"}
{"type":"message","id":"3","author":"zoe","name":"zoe","text":"thanks yan, that works!","reply_to":"2","at":"2024-05-01T12:02:00Z"}
"#;

/// Another space beside the desk's.
pub(crate) fn board(place: &Place) {
    place.file("secret.jsonl", SECRET);
    let import = [
        "import",
        "secret.jsonl",
        "--channel",
        "chat:board",
        "--space",
        "board",
    ];
    place.json(&import);
}

/// A question that nobody could answer.
pub(crate) fn unanswered(place: &Place) {
    let lines = [
        "good morning",
        "bob: @lore how do I brew coffee on the moon?",
    ];
    let ran = place.run_with(&["chat"], &lines);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

/// A request with a body.
pub(crate) fn sending(request: RequestBuilder, body: &Value) -> RequestBuilder {
    let request = request.header(header::CONTENT_TYPE, "application/json");
    request.body(body.to_string())
}

/// An answer with this status, as JSON.
pub(crate) fn with(status: u16, response: Response) -> Value {
    let got = response.status();
    let text = response.text().expect("text");
    assert_eq!(got, status, "{text}");
    serde_json::from_str(&text).expect("JSON")
}

/// An answer that is server-sent events: the name of each, and its data.
pub(crate) fn events(response: Response) -> Vec<(String, Value)> {
    assert_eq!(response.status(), 200);
    assert_eq!(said(&response, header::CONTENT_TYPE), "text/event-stream");
    let text = response.text().expect("text");
    let events = text
        .split("\n\n")
        .filter(|event| event.starts_with("event: "));
    let event = |event: &str| {
        let (name, data) = event.split_once("\ndata: ").expect("data");
        let name = name.strip_prefix("event: ").expect("a name");
        (name.to_owned(), serde_json::from_str(data).expect("JSON"))
    };
    events.map(event).collect()
}

/// A problem with this status and these words in its detail.
pub(crate) fn problem(status: u16, words: &str, response: Response) -> Value {
    assert_eq!(
        said(&response, header::CONTENT_TYPE),
        "application/problem+json"
    );
    let told = with(status, response);
    assert_eq!(told["status"], status, "{told}");
    let kind = told["type"].as_str().expect("a type");
    assert!(kind.starts_with("urn:threadlore:problem:"), "{told}");
    let detail = told["detail"].as_str().expect("a detail");
    assert!(detail.contains(words), "{told}");
    told
}

#[test]
fn a_program_asks_reads_teaches_corrects_and_erases() {
    let served = Served::new();
    let all = served.token("default", "ask,read,admin");
    assert_eq!(all["may"], json!(["ask", "read", "admin"]));
    let asked = json!({ "question": ISO });
    let told = with(
        200,
        served.send(Method::POST, "/spaces/default/ask", &all, &asked),
    );
    assert_eq!(told["outcome"], "answered", "{told}");
    assert!(
        told["answer"]
            .as_str()
            .expect("a text")
            .contains("mount -o loop")
    );

    // In a channel it says what would be said there: nothing, where nobody is its admin.
    let there = json!({ "question": ISO, "channel": DESK });
    let told = with(
        200,
        served.send(Method::POST, "/spaces/default/ask", &all, &there),
    );
    assert_eq!(told["outcome"], "silent", "{told}");

    let listed = with(
        200,
        served.get("/spaces/default/cases?state=solved&limit=1", &all),
    );
    assert_eq!(listed["cases"].as_array().expect("a list").len(), 1);
    assert_eq!(listed["fitting"], 3, "{listed}");
    let found = with(200, served.get("/spaces/default/cases?q=iso%20image", &all));
    let case = found["cases"][0]["case"]
        .as_str()
        .expect("a case")
        .to_owned();
    let path = format!("/spaces/default/cases/{case}");
    let shown = served.get(&path, &all);
    let seen = said(&shown, header::ETAG);
    assert_eq!(said(&shown, header::CACHE_CONTROL), "no-store");
    assert_eq!(
        with(200, shown)["solution"],
        "sudo mount -o loop image.iso /mnt"
    );
    let why = with(200, served.get(&format!("{path}/why"), &all));
    assert_eq!(why["signals"][0]["lines"][0]["name"], "bob", "{why}");

    // Two who correct it at once: the second has not seen what the first wrote.
    let solution = json!({ "solution": "udisksctl loop-setup -f image.iso" });
    let put = |seen: &str| {
        let request = served.request(Method::PUT, &format!("{path}/solution"), &all);
        let request = request.header(header::IF_MATCH, seen);
        sending(request, &solution).send().expect("an answer")
    };
    assert_eq!(with(200, put(&seen))["solution"], solution["solution"]);
    problem(412, "read it again", put(&seen));
    let history = with(200, served.get(&path, &all))["history"].clone();
    let by = history.as_array().expect("steps").last();
    let by = by.expect("a step")["by"]
        .as_str()
        .expect("somebody")
        .to_owned();
    assert!(by.starts_with("token:"), "{history}");
    // The same once more, by who did not look: it is no other version.
    let version = |response: Response| said(&response, header::ETAG);
    let known = version(served.get(&path, &all));
    assert_eq!(version(put("*")), known);
    let told = with(
        200,
        served.send(Method::POST, "/spaces/default/ask", &all, &asked),
    );
    assert!(
        told["answer"]
            .as_str()
            .expect("a text")
            .contains("udisksctl"),
        "{told}"
    );

    let text = "we deploy on Fridays";
    let memory = json!({ "text": text, "channel": DESK });
    let memories = "/spaces/default/memories";
    let added = with(201, served.send(Method::POST, memories, &all, &memory));
    assert_eq!(added["text"], text);
    assert_eq!(with(200, served.get(memories, &all))["fitting"], 1);
    let id = added["memory"].as_str().expect("an id");
    let forgotten = served.request(Method::DELETE, &format!("{memories}/{id}"), &all);
    let forgotten = with(200, forgotten.send().expect("an answer"));
    assert_eq!(forgotten["text"], Value::Null, "{forgotten}");

    let channels = with(200, served.get("/spaces/default/channels", &all));
    assert_eq!(channels["channels"][0]["channel"], DESK);
    let report = "/spaces/default/report?days=30&until=2024-05-20T00:00:00Z";
    assert_eq!(
        with(200, served.get(report, &all))["cases_opened"]["now"],
        4
    );

    let erased = served.request(Method::DELETE, &path, &all);
    assert_eq!(
        with(200, erased.send().expect("an answer"))["status"],
        "erased"
    );
    let again = served.send(Method::PUT, &format!("{path}/solution"), &all, &solution);
    problem(400, "erased", again);
}

#[test]
fn a_question_that_nobody_could_answer_is_answered_by_a_program() {
    let place = desk();
    let asks = [
        "good morning",
        "bob: @lore where is the teapot of the moon?",
    ];
    let ran = place.run_with(&["chat"], &asks);
    assert!(ran.out.contains("I know nothing"), "{}", ran.out);
    let served = Served::on(place, &[]);
    let all = served.token("default", "read,admin");
    let waiting = with(
        200,
        served.get("/spaces/default/questions?only=unanswered", &all),
    );
    assert_eq!(waiting["fitting"], 1, "{waiting}");
    let turn = waiting["questions"][0]["turn"].as_str().expect("an id");
    let path = format!("/spaces/default/questions/{turn}");
    let why = with(200, served.get(&format!("{path}/why"), &all));
    assert_eq!(why["outcome"], "unknown", "{why}");
    let solution = json!({ "solution": "behind the crater" });
    let put = || served.send(Method::PUT, &format!("{path}/answer"), &all, &solution);
    let case = with(200, put());
    assert_eq!(case["solution"], "behind the crater");
    assert_eq!(with(200, put())["case"], case["case"], "the same once more");
}

#[test]
fn what_cannot_be_used_is_named() {
    let served = Served::new();
    let all = served.token("default", "ask,read,admin");
    for (path, words) in [
        ("/cases?limit=0", "1 to 1000"),
        ("/cases?limit=many", "limit"),
        ("/cases?state=closed", "open, solved"),
        ("/cases?sort=up", "sort"),
        ("/cases?channel=nowhere", "no channel"),
        ("/cases/7", "no such case"),
        ("/cases/%ff", ""),
        ("/questions?only=mine", "unanswered"),
        ("/questions/7/why", "no such question"),
        ("/memories?tier=gold", "memory_bank"),
        ("/report?days=0", "1 to 366"),
        ("/report?until=yesterday", "2026-11-23"),
        ("/nothing", "no such route"),
    ] {
        let answer = served.get(&format!("/spaces/default{path}"), &all);
        let status = answer.status().as_u16();
        assert!(matches!(status, 400 | 404), "{path}: {status}");
        problem(status, words, answer);
    }
    let ask = |body: Vec<u8>| {
        let request = served.request(Method::POST, "/spaces/default/ask", &all);
        let request = request.header(header::CONTENT_TYPE, "application/json");
        request.body(body).send().expect("an answer")
    };
    problem(400, "cannot be used", ask(b"{".to_vec()));
    problem(
        400,
        "cannot be used",
        ask(b"{\"question\": \"\xff\"}".to_vec()),
    );
    problem(
        400,
        "colour",
        ask(b"{\"question\": \"x\", \"colour\": 1}".to_vec()),
    );
    problem(400, "empty", ask(b"{\"question\": \"  \"}".to_vec()));
    problem(
        400,
        "2000",
        ask(json!({ "question": "x".repeat(2001) })
            .to_string()
            .into_bytes()),
    );
    let long = json!({ "question": "x".repeat(1 << 20) }).to_string();
    for _ in 0..20 {
        let refused = ask(long.clone().into_bytes());
        // The rest was not read: the next request is not sent into this connection.
        assert_eq!(said(&refused, header::CONNECTION), "close");
        problem(413, "shorten", refused);
    }
    let known = ask(json!({ "question": "x" }).to_string().into_bytes());
    assert!(!known.headers().contains_key(header::CONNECTION));
    let plain = served
        .request(Method::POST, "/spaces/default/ask", &all)
        .body("question=x");
    problem(400, "cannot be used", plain.send().expect("an answer"));
    let patched = served.send(Method::PATCH, "/spaces/default/cases", &all, &json!({}));
    problem(405, "method", patched);
    for (text, words) in [
        ("\u{1f}", "no words"),
        (&"x".repeat(501), "too long"),
        ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "no secrets"),
    ] {
        let memory = json!({ "text": text, "channel": DESK });
        problem(
            400,
            words,
            served.send(Method::POST, "/spaces/default/memories", &all, &memory),
        );
    }
    // The same words are one memory, also where signs that nobody sees are among them.
    for text in ["the office is closed", "the \u{1f}office is closed"] {
        let memory = json!({ "text": text, "channel": DESK });
        with(
            201,
            served.send(Method::POST, "/spaces/default/memories", &all, &memory),
        );
    }
    // What chat filled in is text, whatever it looks like.
    let memory = json!({ "text": "<script>alert(1)</script>", "channel": DESK });
    let added = served.send(Method::POST, "/spaces/default/memories", &all, &memory);
    assert_eq!(said(&added, header::CONTENT_TYPE), "application/json");
    assert_eq!(said(&added, header::X_CONTENT_TYPE_OPTIONS), "nosniff");
    // A session is no token, and what a page sends with one is none either.
    let link = served.place.run(&["sign-in"]);
    let browser = super::browser::Browser::signed_in(link.out.trim());
    problem(
        401,
        "token",
        browser
            .ask("/api/v1/spaces/default/cases")
            .send()
            .expect("an answer"),
    );
    let wifi = with(200, served.get("/spaces/default/cases?q=wifi", &all));
    assert!(wifi.to_string().contains("wifi card"), "{WIFI}");
}

/// Every line once, whatever the length of a page.
#[test]
fn lists_have_pages() {
    let place = desk();
    for line in [
        "bob: @lore how do I brew coffee?",
        "eve: @lore how do I boil eggs on the moon?",
    ] {
        let ran = place.run_with(&["chat"], &["good morning", line]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    let asks = "bob: @lore how can I mount an iso image and read its files?";
    let ran = place.run_with(&["chat"], &[asks, "bob: thanks, that works!"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let served = Served::on(place, &[]);
    let reads = served.token("default", "read,admin");
    for text in ["we deploy on Fridays", "the printer is on floor 2"] {
        let memory = json!({ "text": text, "channel": DESK });
        with(
            201,
            served.send(Method::POST, "/spaces/default/memories", &reads, &memory),
        );
    }
    let all = || with(200, served.get("/spaces/default/memories", &reads));
    look_until(|| all()["fitting"] == 3);
    for (list, lines, id) in [
        ("memories?", "memories", "memory"),
        ("memories?tier=memory_bank&", "memories", "memory"),
        ("cases?", "cases", "case"),
        ("cases?oldest=true&", "cases", "case"),
        ("questions?", "questions", "turn"),
    ] {
        let page = |limit: usize, after: Option<&str>| {
            let after = after
                .map(|after| format!("&after={after}"))
                .unwrap_or_default();
            let path = format!("/spaces/default/{list}limit={limit}{after}");
            with(200, served.get(&path, &reads))
        };
        let ids = |page: &Value| -> Vec<String> {
            let lines = page[lines].as_array().expect("lines").iter();
            lines
                .map(|line| line[id].as_str().expect("an id").to_owned())
                .collect()
        };
        let whole = page(1000, None);
        assert_eq!(whole["next"], Value::Null, "{whole}");
        let wanted = ids(&whole);
        assert!(wanted.len() >= 2, "{whole}");
        for limit in 1..=wanted.len() {
            let (mut found, mut after) = (Vec::new(), None);
            loop {
                let one = page(limit, after.as_deref());
                assert_eq!(one["fitting"], whole["fitting"], "{one}");
                found.extend(ids(&one));
                match one["next"].as_str() {
                    Some(next) => after = Some(next.to_owned()),
                    None => break,
                }
            }
            assert_eq!(found, wanted, "{list} by {limit}");
        }
        for wrong in ["x", "00000000-0000-4000-8000-000000000000"] {
            let path = format!("/spaces/default/{list}after={wrong}");
            problem(400, "`after`", served.get(&path, &reads));
        }
    }
}

/// What the document says is what is answered, to whatever schemathesis makes of it.
#[test]
fn the_document_says_what_is_answered() {
    let Some(packages) = packages() else { return };
    let place = desk();
    board(&place);
    let served = Served::on(
        place,
        &[("THREADLORE__API__REQUESTS_PER_MINUTE", "1000000")],
    );
    let all = served.token("default", "ask,read,admin");
    let cases = with(200, served.get("/spaces/default/cases?q=printer", &all));
    let case = cases["cases"][0]["case"].as_str().expect("a case");
    let token = all["token"].as_str().expect("a token");
    let told = run(
        &packages,
        "fuzz_api.py",
        &[&served.base, token, case, "300"],
    );
    println!("{}", told[0]);
    assert!(
        told[0]["requests"].as_u64().expect("a count") > 300,
        "{}",
        told[0]
    );
}
