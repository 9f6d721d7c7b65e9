//! What is shipped beside the code is what the importer reads: the examples of
//! `docs/import-format.md` parse, its tables name every reason, and the demo's
//! logs are taken whole.

use std::path::Path;

use threadlore_gateways::{Bots, Change, ClockStyle, Parsed, SkipReason, Source, Target, files};
use threadlore_model::{Body, ChannelId, SpaceId, Timestamp};

const PAGE: &str = include_str!("../../../docs/import-format.md");
/// 2030-01-01
const NOW: Timestamp = Timestamp::from_millis(1_893_456_000_000);

fn example(language: &str) -> &'static str {
    let start = format!("```{language}\n");
    let (_, rest) = PAGE.split_once(&start).expect("an example");
    rest.split_once("```").expect("an end of it").0
}

fn target(bots: &str) -> Target {
    Target {
        space: SpaceId::parse("s").expect("a space"),
        channel: ChannelId::parse("irc:#help").expect("a channel"),
        bots: Bots::parse(bots).expect("bots"),
    }
}

fn names(source: impl Iterator<Item = std::io::Result<threadlore_gateways::Item>>) -> Vec<String> {
    source
        .map(|item| match item.expect("reads").parsed {
            Parsed::Event(event) => event.body.type_name().to_owned(),
            other => format!("{other:?}"),
        })
        .collect()
}

#[test]
fn the_json_example_is_of_the_format() {
    let source = Source::json_lines(example("jsonl").as_bytes(), target(""), NOW, None);
    assert_eq!(
        names(source),
        [
            "PlatformMessage",
            "PlatformMessage",
            "PlatformMessage",
            "PlatformEdit",
            "PlatformReaction",
            "PlatformReaction",
            "PlatformRedaction",
        ]
    );
}

#[test]
fn the_irc_example_is_of_the_format() {
    let date = jiff::civil::date(2009, 7, 2);
    let style = ClockStyle::detect(example("irc").as_bytes());
    let source = Source::irc(example("irc").as_bytes(), target(""), date, style, NOW);
    let message = "PlatformMessage";
    assert_eq!(
        names(source),
        ["System", message, message, message, message]
    );
}

#[test]
fn every_reason_is_in_a_table() {
    let reasons = SkipReason::ALL.iter().map(|reason| reason.text());
    for text in reasons.chain(Change::ALL.iter().map(|change| change.text())) {
        assert!(PAGE.contains(&format!("\n| {text} |")), "{text}");
    }
}

#[test]
fn the_demo_logs_are_taken_whole() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../app/demo/ubuntu");
    let (mut messages, mut bots, mut skipped) = (0, 0, Vec::new());
    for (file, day) in files(&folder).expect("the demo's logs").iter().zip([
        jiff::civil::date(2008, 3, 1),
        jiff::civil::date(2009, 7, 2),
        jiff::civil::date(2010, 5, 30),
        jiff::civil::date(2011, 2, 23),
        jiff::civil::date(2014, 8, 14),
    ]) {
        let reader = file.open().expect("opens").reader;
        let style = ClockStyle::detect(reader);
        let reader = file.open().expect("opens").reader;
        for item in Source::irc(reader, target("ubottu,ubotu,FloodBot*"), day, style, NOW) {
            let item = item.expect("reads");
            assert!(item.changes.is_empty(), "line {}", item.line);
            match item.parsed {
                Parsed::Event(event) => match event.body {
                    Body::PlatformMessage(message) => {
                        messages += 1;
                        bots += u32::from(message.author_is_bot);
                    }
                    other => panic!("{} from IRC", other.type_name()),
                },
                Parsed::Skip(skip) => skipped.push((file.path.clone(), item.line, skip)),
                Parsed::System | Parsed::Admins(_) | Parsed::Blank => {}
            }
        }
    }
    assert_eq!(skipped, []);
    assert_eq!((messages, bots), (7294, 186));
}
