//! Searches, whole and degraded.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures::executor::block_on;
use threadlore_language::wording::Language;
use threadlore_model::{AnswerOutcome, Body, ChannelId, MemoryTier, TurnOutcome, text_of_case};
use threadlore_ports::{Generations, IndexSource, PortError, Projection, RankEngine, Readable};
use threadlore_retrieval::ask::{CLOSE, Reply, Silence};
use threadlore_retrieval::{
    AskedIn, By, Degraded, Inquiry, Instructions, Memory, Reader, Reranker, Retrieval,
    RetrievalPorts, Retrieved, reply_to,
};
use threadlore_testkit::MemoryIndex;
use threadlore_testkit::conformance::samples::{
    case, channel, computed, configured, considered, fold, kept, learned, message, posted, space,
};

use crate::desk::{Desk, MODEL, ask, names, scope};
use crate::doubles::{Broken, Hasty, Model, NoTables, Still};
use crate::reads::{Reads, away};

#[test]
fn what_is_asked_is_found_by_every_leg_and_the_record_says_so() {
    block_on(async {
        let desk = Desk::new().await;
        let retrieval = Retrieval::new(desk.search());
        let found = ask(&retrieval, "no sound since the upgrade").await;
        assert_eq!(names(&found)[0], case("sound"));
        assert!(!names(&found).contains(&case("theirs")), "another space");
        let record = &found.record;
        assert_eq!(record.degraded, []);
        assert_eq!(record.build.as_deref(), Some("cases g1"));
        let legs: Vec<&str> = record.found[0].legs.keys().copied().collect();
        assert_eq!(legs, ["grams", "stems", "words"]);
        assert_eq!(record.found[0].close, found.candidates[0].close);
        assert!(record.found[0].close >= 450, "{record:?}");
    });
}

/// Who asks in the words of somebody whom a case helped gets that case, though it shares no word with
/// the question; and one that helped nobody who asked so is doubted for such a question alone.
#[test]
fn what_worked_for_an_earlier_question_is_found_by_its_words() {
    block_on(async {
        let desk = Desk::new().await;
        let question = "my kiosk speakers stay mute, ideas?";
        let near = "no sound after an upgrade";
        let of_sound = async |question| {
            let found = ask(&Retrieval::new(desk.search()), question).await;
            let found = found.record.found;
            found.into_iter().find(|one| one.case == case("sound"))
        };
        let before = of_sound(question).await;
        assert!(
            before.is_none_or(|one| one.close < 100),
            "no word is theirs"
        );
        let close = of_sound(near).await.expect("found").close;
        let asked = [
            (
                "kiosk",
                "@lore my kiosk speakers stay mute",
                AnswerOutcome::Worked,
            ),
            (
                "again",
                "no sound after an upgrade of mine",
                AnswerOutcome::Failed,
            ),
        ];
        for (turn, text, outcome) in asked {
            let mut considered = considered("a", turn, TurnOutcome::Answered);
            if let Body::TurnConsidered(considered) = &mut considered.body {
                considered.context.clear();
                considered.messages = vec![message(turn)];
            }
            let mut learned = learned("a", turn, outcome);
            if let Body::OutcomeRecorded(recorded) = &mut learned.body {
                recorded.case = case("sound");
            }
            for (projection, event) in [
                (Projection::Messages, posted("a", turn, text)),
                (Projection::Turns, considered),
                (Projection::Outcomes, learned),
                (Projection::Memories, kept("a", turn, MemoryTier::Working)),
            ] {
                let live = desk.store.live(projection).await.expect("makes");
                let folded = fold(desk.store.as_ref(), live, vec![event]).await;
                folded.expect("folds");
            }
        }
        let found = of_sound(question).await.expect("found by its words");
        assert!(
            found.close >= CLOSE && found.worked_before > 50,
            "{found:?}"
        );
        let doubted = of_sound(near).await.expect("found");
        assert!(
            doubted.close < close && doubted.failed_before > 50,
            "{doubted:?}"
        );
        let other = of_sound("the sound is far too loud at night").await;
        assert!(other.is_some_and(|one| one.failed_before == 0));
    });
}

#[test]
fn without_the_index_words_in_the_tables_are_searched() {
    block_on(async {
        let desk = Desk::new().await;
        let broken = Arc::new(Broken::default());
        let retrieval = Retrieval::new(RetrievalPorts {
            index: broken.clone(),
            ..desk.search()
        });
        for asked in 1..=9 {
            let found = ask(&retrieval, "no sound after the upgrade").await;
            assert_eq!(found.record.degraded, [Degraded::Index]);
            assert_eq!(names(&found)[0], case("sound"));
            // After three failures it is left alone.
            assert_eq!(broken.searches.load(Ordering::Relaxed), asked.min(3));
        }
    });
}

#[test]
fn an_index_that_does_not_answer_in_time_is_not_waited_for() {
    block_on(async {
        let desk = Desk::new().await;
        let broken = Arc::new(Broken::default());
        broken.hangs.store(true, Ordering::Relaxed);
        let retrieval = Retrieval::new(RetrievalPorts {
            index: broken,
            clock: Arc::new(Hasty),
            ..desk.search()
        });
        let found = ask(&retrieval, "no sound after the upgrade").await;
        assert_eq!(found.record.degraded, [Degraded::Index]);
        assert_eq!(names(&found)[0], case("sound"));
    });
}

#[test]
fn a_build_that_is_not_in_the_index_is_searched_by_words() {
    block_on(async {
        let desk = Desk::new().await;
        let retrieval = Retrieval::new(RetrievalPorts {
            index: Arc::new(MemoryIndex::default()),
            ..desk.search()
        });
        let found = ask(&retrieval, "no sound after the upgrade").await;
        assert_eq!(found.record.degraded, [Degraded::Index]);
        assert_eq!(names(&found)[0], case("sound"));
    });
}

#[test]
fn without_the_model_the_other_legs_go_on() {
    block_on(async {
        let desk = Desk::new().await;
        for (works, degraded) in [(true, vec![]), (false, vec![Degraded::Model])] {
            let model = Arc::new(Model { works });
            let retrieval = Retrieval::new(RetrievalPorts {
                embedder: Some(model),
                ..desk.search()
            });
            let found = ask(&retrieval, "no sound after the upgrade").await;
            assert_eq!(found.record.degraded, degraded);
            assert_eq!(names(&found)[0], case("sound"));
            // It has no vector yet: what it says is enough.
            assert!(found.record.found[0].close >= CLOSE, "{:?}", found.record);
        }
    });
}

#[test]
fn without_the_tables_nothing_is_found_and_it_says_so() {
    block_on(async {
        let desk = Desk::new().await;
        let retrieval = Retrieval::new(RetrievalPorts {
            builds: Arc::new(NoTables),
            ..desk.search()
        });
        let found = ask(&retrieval, "no sound after the upgrade").await;
        assert_eq!(found.record.degraded, [Degraded::Tables]);
        assert!(found.candidates.is_empty());
    });
}

#[test]
fn a_question_is_asked_by_the_other_names_too() {
    block_on(async {
        let desk = Desk::new().await;
        let retrieval = Retrieval::new(desk.search());
        let found = ask(&retrieval, "my wireless \t drops every hour").await;
        assert!(found.record.also.contains(&"wifi".to_owned()));
        assert_eq!(names(&found)[0], case("wifi"));
        let by_name = found.record.found[0].close;
        let plain = RetrievalPorts {
            synonyms: Arc::default(),
            ..desk.search()
        };
        let found = ask(&Retrieval::new(plain), "my wireless \t drops every hour").await;
        assert!(found.record.also.is_empty() && found.record.found[0].close < by_name);
    });
}

/// A desk where one case has a vector.
async fn with_vector_of_wifi(vector: &[f32]) -> Desk {
    let desk = Desk::new().await;
    let cases = [(space("a"), case("wifi"))];
    let wifi = desk.store.cases_of(desk.build, &cases).await;
    let text = text_of_case(&wifi.expect("reads")[0]).expect("a text");
    let vectors = desk.store.live(Projection::Vectors).await.expect("makes");
    let event = computed("a", "wifi", MODEL, &text, vector);
    let folded = fold(desk.store.as_ref(), vectors, vec![event]).await;
    folded.expect("folds");
    desk.index().await;
    desk
}

#[test]
fn a_case_is_close_where_its_vector_stands_out_among_others() {
    block_on(async {
        // Texts on other subjects are as near as 0.6, and 0.1 is the spread of the model.
        for (vector, close) in [([3.0, 4.0], false), ([1.0, 0.0], true)] {
            let desk = with_vector_of_wifi(&vector).await;
            let retrieval = Retrieval::new(RetrievalPorts {
                embedder: Some(Arc::new(Model { works: true })),
                wrong_at_most: 30,
                ..desk.search()
            });
            let found = ask(&retrieval, "das netz bricht immer ab").await;
            let of = found.record.found.iter().find(|f| f.case == case("wifi"));
            let of = of.expect("found by its vector");
            assert_eq!(
                (of.close >= CLOSE, of.cosine.is_some()),
                (close, true),
                "{of:?}"
            );
            assert_eq!(of.stands_out > Some(300), close, "{of:?}");
        }
    });
}

/// A model that reads question and case together: it gives the case with this word the chance, others none;
/// without a word it fails.
struct Ranks(Option<&'static str>, f32);

#[async_trait]
impl RankEngine for Ranks {
    fn version(&self) -> &str {
        "ranks/1"
    }

    async fn rank(&self, question: &str, texts: &[String]) -> Result<Vec<f32>, PortError> {
        assert!(!question.is_empty() && !texts.is_empty());
        let word = self.0.ok_or(away("ranking"))?;
        let chance = |text: &String| if text.contains(word) { self.1 } else { 0.0 };
        Ok(texts.iter().map(chance).collect())
    }
}

#[test]
fn a_model_that_ranks_brings_cases_nearer_or_further_and_is_left_out_where_it_fails() {
    block_on(async {
        let desk = Desk::new().await;
        let with = |word, chance| {
            Retrieval::new(RetrievalPorts {
                reranker: Some(Reranker {
                    engine: Arc::new(Ranks(word, chance)),
                    limit: Duration::from_secs(1),
                }),
                ..desk.search()
            })
        };
        let text = "no sound after the upgrade";
        let plain = ask(&Retrieval::new(desk.search()), text).await;
        let first = names(&plain)[0];
        let of = |found: &Retrieved| {
            let found = found.record.found.iter().find(|one| one.case == first);
            let found = found.expect("found");
            (found.chance, found.reranked)
        };
        let nearer = ask(&with(Some("sound"), 1.0), text).await;
        let further = ask(&with(Some("no such word"), 1.0), text).await;
        assert_eq!(nearer.record.reranked_by.as_deref(), Some("ranks/1"));
        assert_eq!(
            (of(&plain).1, of(&nearer).1, of(&further).1),
            (None, Some(1000), Some(0))
        );
        assert!(of(&nearer).0 >= of(&plain).0 && of(&plain).0 > of(&further).0);
        let failed = ask(&with(None, 1.0), text).await;
        assert_eq!(failed.record.degraded, [Degraded::Reranker]);
        assert_eq!(of(&failed), of(&plain));
        let by_words = with(Some("sound"), 1.0).by(By::Words);
        assert_eq!(ask(&by_words, text).await.record.reranked_by, None);
    });
}

#[test]
fn a_model_that_reads_has_the_last_word_unless_it_fails() {
    block_on(async {
        let desk = Desk::new().await;
        let scope = scope("a");
        let text = "no sound after the upgrade";
        let readable = Readable::all();
        let asked = || Inquiry::new(&scope, &readable, text);
        let with = |said| {
            Retrieval::new(RetrievalPorts {
                reader: Some(Reader {
                    engine: Arc::new(Reads(said, AtomicU64::new(0))),
                    limit: Duration::from_secs(1),
                    tokens_per_day: 200,
                    instructions: Instructions::default(),
                    tools: None,
                    rewrites: false,
                }),
                ..desk.search()
            })
        };
        let (_, by_rules) = reply_to(&Retrieval::new(desk.search()), asked(), &[]).await;
        assert!(matches!(by_rules, Reply::Answered { .. }), "{by_rules:?}");

        let (found, reply) = reply_to(&with(Some(Some(0))), asked(), &[]).await;
        let read = found.record.read.expect("it was read");
        assert_eq!((read.by.as_str(), read.composed), ("double/1", false));
        assert!(
            matches!(&reply, Reply::Answered { citations, .. }
            if Some(citations[0].case) == read.case),
            "{reply:?}"
        );

        let (found, reply) = reply_to(&with(Some(None)), asked(), &[]).await;
        assert_eq!(reply, Reply::Silent(Silence::NothingClose));
        assert_eq!(found.record.read.expect("it was read").case, None);

        // After two calls the day's tokens are spent.
        let retrieval = with(Some(None));
        for spent in [false, false, true] {
            let (found, reply) = reply_to(&retrieval, asked(), &[]).await;
            assert_eq!(reply == by_rules, spent, "{reply:?}");
            let degraded: &[Degraded] = if spent { &[Degraded::Budget] } else { &[] };
            assert_eq!(found.record.degraded, degraded);
        }

        // One that names what it was not shown is as good as none.
        for said in [None, Some(Some(99))] {
            let (found, reply) = reply_to(&with(said), asked(), &[]).await;
            assert_eq!(reply, by_rules);
            assert_eq!(found.record.degraded, [Degraded::Reader]);
        }
    });
}

#[test]
fn memory_speaks_in_a_channel_that_has_an_admin_and_names_its_source() {
    block_on(async {
        let desk = Desk::new().await;
        let memory = Memory {
            retrieval: Arc::new(Retrieval::new(desk.search())),
            cases: desk.store.clone(),
            link_base: "https://lore.example/".to_owned(),
            wordings: Arc::default(),
            clock: Arc::new(Still),
        };
        let scope = scope("a");
        let (here, nowhere) = (
            channel(),
            ChannelId::parse("irc:#other").expect("a channel"),
        );
        let question = "no sound after the upgrade";
        let asked = async |channel, is_named| {
            let asked_in = Some(AskedIn {
                gate: None,
                remark: None,
                had: None,
                channel,
                person: None,
                is_named,
                language: Language::English,
                earlier: &[],
            });
            let said = memory.answer(&scope, question, asked_in).await;
            said.expect("answers")
        };
        let said = asked(&here, true).await;
        assert_eq!(said.outcome, TurnOutcome::NotConfigured);
        assert_eq!(
            (said.sources.len(), said.record.found.len()),
            (0, 0),
            "not searched"
        );
        let channels = desk.store.live(Projection::Channels).await.expect("makes");
        fold(
            desk.store.as_ref(),
            channels,
            vec![configured("a", &["ann"])],
        )
        .await
        .expect("folds");
        // It is configured so that only who asks by name is answered.
        assert_eq!(asked(&here, false).await.outcome, TurnOutcome::Muted);
        let said = asked(&here, true).await;
        assert_eq!(said.outcome, TurnOutcome::Answered);
        let link = format!("https://lore.example/{}", case("sound"));
        assert_eq!(said.sources[0].link, link);
        let recalled = said.recalled("{}".to_owned(), |case| case.to_string());
        let answer = recalled.answer.expect("an answer");
        assert!(
            answer.text.ends_with(&format!("\n\nFrom: {link}")),
            "{}",
            answer.text
        );
        assert_eq!(answer.cited[0].case, case("sound"));
        let said = asked(&nowhere, true).await;
        assert_eq!(said.outcome, TurnOutcome::NotConfigured, "another channel");
    });
}
