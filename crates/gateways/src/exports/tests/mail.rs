use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;

/// January of a list as mailman keeps it: addresses are hidden, the list says so behind each mail.
pub(super) const JANUARY: &str = "\
From ann at example.org  Mon Jan  5 10:00:00 2009
From: ann at example.org (Ann Lee)
Date: Mon, 5 Jan 2009 10:00:00 +0100
Subject: [users] How do I mount an iso?
Message-ID: <1@example.org>

Hello,

my iso does not mount.
-- 
Ann

From bob at example.org  Mon Jan  5 10:30:00 2009
From: bob at example.org (=?utf-8?b?0JHQvtCx?=)
Date: Mon, 5 Jan 2009 09:30:00 +0000
Subject: Re: [users] How do I mount an iso?
In-Reply-To: <1@example.org>
References: <1@example.org>
Message-ID: <2@example.org>

On Mon, 5 Jan 2009, Ann Lee wrote:
> my iso does not mount.

mount -o loop
_______________________________________________
users mailing list

";

/// A mail program's file: parts, a picture, another alphabet, an answer that names no thread.
pub(super) const APRIL: &str = "\
From MAILER-DAEMON Wed Apr  1 08:00:00 2009
From: \"Carl, the third\" <Carl@Example.org>
Date: Wed, 1 Apr 2009 08:00:00 +0000
Subject: =?koi8-r?b?8NLJ18XU?=
In-Reply-To: <2@example.org>
Message-ID: <3@example.org>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/html; charset=utf-8

<p>Thanks, <b>that</b> works &amp; more</p>
--b
Content-Type: image/png
Content-Disposition: attachment; filename=shot.png
Content-Transfer-Encoding: base64

AAAA
--b--

From robot@example.org Wed Apr  1 08:01:00 2009
From: robot@example.org
Auto-Submitted: auto-generated
Date: Wed, 1 Apr 2009 08:01:00 +0000
Message-ID: <4@example.org>

build failed

From nobody@example.org Wed Apr  1 08:02:00 2009
Subject: no date and nobody
Message-ID: <5@example.org>

text
";

fn packed(text: &str) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(text.as_bytes()).expect("packed");
    packer.finish().expect("packed")
}

#[test]
fn a_mailing_list_is_read_from_its_months_and_from_one_file() {
    let dir = tempfile::tempdir().expect("a directory");
    let folder = dir.path().join("users");
    fs::create_dir(&folder).expect("made");
    // The names of months do not sort as months do.
    fs::write(folder.join("2009-January.txt.gz"), packed(JANUARY)).expect("written");
    fs::write(folder.join("2009-April.txt"), APRIL).expect("written");
    let whole = dir.path().join("users.mbox");
    fs::write(&whole, format!("{JANUARY}{APRIL}")).expect("written");
    let mut ids: Vec<Vec<String>> = Vec::new();
    for path in [&folder, &whole] {
        let export = read(path);
        assert_eq!(names(&export), ["mail:users"], "{path:?}");
        let found = content(&export.chats[0]);
        let texts: Vec<&str> = found.messages.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "How do I mount an iso?\n\nHello,\n\nmy iso does not mount.",
                "mount -o loop",
                "[file: shot.png, image/png, 3 bytes]\nThanks, that works & more",
                "build failed"
            ]
        );
        assert_eq!(
            found.skipped,
            [SkipReason::NotOfFormat],
            "{:?}",
            found.skipped
        );
        let [question, answer, thanks, robot] = &found.messages[..] else {
            panic!("four messages");
        };
        assert_eq!(question.author_id, "ann@example.org");
        assert_eq!(question.author_name.as_deref(), Some("Ann Lee"));
        assert_eq!(question.sent_at, at("2009-01-05T09:00:00Z"));
        assert_eq!(
            question.thread_root.as_deref(),
            Some("1@example.org"),
            "the first of its thread"
        );
        assert_eq!(answer.author_name.as_deref(), Some("Боб"));
        assert_eq!(answer.reply_to.as_deref(), Some("1@example.org"));
        assert_eq!(answer.thread_root, answer.reply_to);
        assert_eq!(thanks.author_id, "carl@example.org");
        assert_eq!(thanks.author_name.as_deref(), Some("Carl, the third"));
        assert_eq!(thanks.reply_to.as_deref(), Some("2@example.org"));
        assert_eq!(
            thanks.thread_root, question.thread_root,
            "by what it replies to"
        );
        assert!(robot.author_is_bot && !thanks.author_is_bot);
        ids.push(
            found
                .messages
                .iter()
                .map(|one| one.native_id.clone())
                .collect(),
        );
    }
    assert_eq!(ids[0], ids[1], "read again it is the same");
}
