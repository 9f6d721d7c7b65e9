use super::*;

const ISSUE: &str = "https://github.com/o/r/issues/7";

pub(super) fn issues() -> Value {
    json!([
        {"url": "https://api.github.com/repos/o/r/issues/8", "html_url": "https://github.com/o/r/pull/8",
         "number": 8, "title": "A change", "body": "code", "user": {"login": "bob", "type": "User"},
         "created_at": "2024-05-02T10:00:00Z", "comments": 0, "pull_request": {"url": "x"}},
        {"url": "https://api.github.com/repos/o/r/issues/7", "html_url": ISSUE, "number": 7,
         "title": "How do I mount an iso?", "body": "<!-- say what you did -->\r\nIt says no.\r\n",
         "user": {"login": "ann", "type": "User"}, "created_at": "2024-05-01T10:00:00Z", "comments": 2},
    ])
}

fn comments() -> Value {
    let comment = |id: u64, login: &str, body: &str, at: &str| {
        json!({"url": format!("https://api.github.com/repos/o/r/issues/comments/{id}"),
               "html_url": format!("{ISSUE}#issuecomment-{id}"), "issue_url": "https://api.github.com/repos/o/r/issues/7",
               "id": id, "user": {"login": login, "type": if login == "ci[bot]" { "Bot" } else { "User" }},
               "created_at": at, "body": body})
    };
    json!([
        comment(2, "ci[bot]", "stale", "2024-05-03T10:00:00Z"),
        comment(1, "bob", "mount -o loop", "2024-05-01T11:00:00Z"),
    ])
}

/// The same as `gh issue list --json number,title,body,author,createdAt,url,comments` prints it.
pub(super) fn by_gh() -> Value {
    let comment = |id: u64, login: &str, body: &str, at: &str| {
        json!({"id": format!("IC_{id}"), "author": {"login": login}, "body": body, "createdAt": at,
               "url": format!("{ISSUE}#issuecomment-{id}")})
    };
    json!([{
        "author": {"id": "U", "is_bot": false, "login": "ann", "name": "Ann Lee"}, "number": 7,
        "title": "How do I mount an iso?", "body": "It says no.", "createdAt": "2024-05-01T10:00:00Z", "url": ISSUE,
        "comments": [comment(1, "bob", "mount -o loop", "2024-05-01T11:00:00Z"),
                     comment(2, "ci[bot]", "stale", "2024-05-03T10:00:00Z")],
    }])
}

#[test]
fn issues_of_github_are_read_however_they_were_saved() {
    let dir = tempfile::tempdir().expect("a directory");
    let folder = dir.path().join("r");
    fs::create_dir(&folder).expect("made");
    fs::write(folder.join("issues.json"), issues().to_string()).expect("written");
    // Pages of an answer stand one behind the other.
    fs::write(folder.join("comments.json"), format!("{}\n[]", comments())).expect("written");
    fs::write(folder.join("other.json"), "{\"a\": 1}").expect("written");
    let alone = dir.path().join("gh.json");
    fs::write(&alone, by_gh().to_string()).expect("written");
    for (path, changes) in [(&folder, 1), (&alone, 0)] {
        let export = read(path);
        assert_eq!(names(&export), ["github:o-r"], "{path:?}");
        let found = content(&export.chats[0]);
        assert_eq!((found.system, found.skipped.len()), (changes, 0));
        let [question, answer, stale] = &found.messages[..] else {
            panic!("three messages: {:?}", found.messages);
        };
        assert_eq!(question.native_id, "issues/7");
        assert_eq!(question.text, "How do I mount an iso?\n\nIt says no.");
        assert_eq!(question.sent_at, at("2024-05-01T10:00:00Z"));
        assert_eq!(answer.native_id, "issues/7#issuecomment-1");
        assert_eq!(answer.author_id, "bob");
        assert_eq!(answer.reply_to.as_deref(), Some("issues/7"));
        assert_eq!(answer.thread_root, answer.reply_to);
        assert!(stale.author_is_bot && !answer.author_is_bot);
    }
}

/// A page of discussions, as GraphQL answers.
pub(super) fn discussions() -> Value {
    let place = "https://github.com/o/r/discussions/9";
    let comment = |id: u64, login: &str, is_answer: bool, replies: &[Value]| {
        json!({"url": format!("{place}#discussioncomment-{id}"), "body": format!("text {id}"), "author": {"login": login},
               "createdAt": format!("2024-05-01T1{id}:00:00Z"), "isAnswer": is_answer, "replies": {"nodes": replies}})
    };
    let inner = comment(2, "ann", false, &[]);
    json!({"data": {"repository": {"discussions": {"pageInfo": {"hasNextPage": false}, "nodes": [
        {"number": 9, "title": "Which one?", "body": "…", "author": {"login": "ann"}, "url": place,
         "createdAt": "2024-05-01T10:00:00Z",
         "comments": {"nodes": [comment(1, "bob", true, &[inner]), comment(3, "carl", false, &[])]}},
    ]}}}})
}

#[test]
fn the_answer_that_was_chosen_of_a_discussion_has_a_reaction_of_who_asked() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("discussions.json");
    let page = discussions();
    fs::write(&path, page.to_string()).expect("written");
    let found = content(&read(&path).chats[0]);
    let texts: Vec<&str> = found.messages.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, ["Which one?\n\n…", "text 1", "text 2", "text 3"]);
    let [chosen] = &found.reactions[..] else {
        panic!("one reaction");
    };
    assert_eq!(
        (
            chosen.author_id.as_str(),
            chosen.emoji.as_str(),
            chosen.native_id.as_str()
        ),
        ("ann", "✅", "discussions/9#discussioncomment-1")
    );
    fs::write(
        &path,
        page.to_string()
            .replace("https://github.com/o/r/discussions/9\"", "\""),
    )
    .expect("written");
    let said = refused(&path);
    assert!(said.contains("`url` or `html_url`"), "{said}");
}
