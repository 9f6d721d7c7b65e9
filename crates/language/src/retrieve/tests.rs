//! Given what the legs found, when it is fused and cut, then …; and laws.

use proptest::prelude::*;
use threadlore_model::{Leg, alike_terms};

use super::*;

fn found(leg: Leg, candidates: &[(&'static str, f32)]) -> Found<&'static str> {
    Found {
        leg,
        candidates: candidates.to_vec(),
    }
}

fn order(hits: &[Hit<&'static str>]) -> Vec<&'static str> {
    hits.iter().map(|hit| hit.id).collect()
}

#[test]
fn scores_of_different_kinds_are_comparable() {
    let hits = fuse(&[
        found(Leg::Words, &[("a", 40.0), ("b", 20.0)]),
        found(Leg::Stems, &[("a", 4.0), ("b", 1.0)]),
        found(Leg::Grams, &[("b", 200.0), ("a", 100.0)]),
    ]);
    assert_eq!(order(&hits), ["b", "a"]);
    // 0.1·½ + 0.2·¼ + 0.7 and 0.1 + 0.2 + 0.7·½
    assert!((hits[0].score - 0.8).abs() < 1e-6);
    assert!((hits[1].score - 0.65).abs() < 1e-6);
}

#[test]
fn a_missing_leg_leaves_the_others_their_proportions() {
    let words = found(Leg::Words, &[("a", 3.0), ("b", 1.0)]);
    let stems = found(Leg::Stems, &[("b", 5.0)]);
    let hits = fuse(&[words.clone(), stems]);
    assert_eq!(order(&hits), ["b", "a"]);
    assert!((hits[0].score - (1.0 / 9.0 + 2.0 / 3.0)).abs() < 1e-6);
    let hits = fuse(&[words]);
    assert_eq!(order(&hits), ["a", "b"]);
    assert!((hits[0].score - 1.0).abs() < 1e-6);
}

#[test]
fn dense_scores_are_measured_from_the_worst_candidate() {
    let dense = found(Leg::Dense, &[("a", 0.90), ("b", 0.88), ("c", 0.80)]);
    let hits = fuse(&[dense.clone(), found(Leg::Grams, &[("c", 9.0), ("b", 8.0)])]);
    // (0.7·8⁄9 + 0.5·0.8) ⁄ 1.2, 0.7 ⁄ 1.2 and 0.5 ⁄ 1.2
    assert_eq!(order(&hits), ["b", "c", "a"]);
    assert!((hits[0].score - 0.851_85).abs() < 1e-4);
    assert!((hits[1].score - 0.583_33).abs() < 1e-4);
    let only = fuse(&[found(Leg::Dense, &[("a", 0.9)])]);
    assert!((only[0].score - 1.0).abs() < 1e-6);
}

#[test]
fn nothing_answers_and_nothing_is_found() {
    assert_eq!(fuse::<u8>(&[]), []);
    assert_eq!(fuse(&[found(Leg::Dense, &[])]), []);
    let odd = found(
        Leg::Dense,
        &[("a", f32::NAN), ("b", -1.0), ("c", f32::INFINITY)],
    );
    assert_eq!(fuse(&[odd]), []);
}

#[test]
fn a_hit_says_what_each_leg_thought() {
    let hits = fuse(&[
        found(Leg::Grams, &[("a", 100.0), ("b", 50.0)]),
        found(Leg::Words, &[("a", 7.0)]),
    ]);
    let legs: Vec<(Leg, f32)> = hits[0].legs.iter().map(|leg| (leg.leg, leg.raw)).collect();
    assert_eq!(legs, [(Leg::Words, 7.0), (Leg::Grams, 100.0)]);
    assert_eq!(hits[1].legs.len(), 1);
    assert!((hits[1].legs[0].share - hits[1].score).abs() < 1e-6);
}

#[test]
fn equal_scores_stand_in_order_of_ids() {
    let hits = fuse(&[found(Leg::Grams, &[("c", 1.0), ("a", 1.0), ("b", 1.0)])]);
    assert_eq!(order(&hits), ["a", "b", "c"]);
}

fn hit(id: usize, score: f32) -> Hit<usize> {
    let legs = Vec::new();
    Hit { id, score, legs }
}

#[test]
fn the_cut_is_by_score_then_length_then_number() {
    let limits = Cut::default();
    let kept = |hits: Vec<Hit<usize>>| -> Vec<usize> {
        let kept = cut(hits, &limits, |length| *length);
        kept.into_iter().map(|hit| hit.id).collect()
    };
    assert_eq!(kept(vec![hit(1, 0.15), hit(2, 0.149)]), [1]);
    // Too long, and the next still fits; the limit itself fits.
    let long = vec![
        hit(5_000, 1.0),
        hit(3_001, 0.9),
        hit(3_000, 0.8),
        hit(1, 0.7),
    ];
    assert_eq!(kept(long), [5_000, 3_000]);
    assert_eq!(
        kept((1..9).map(|id| hit(id, 0.5)).collect()),
        [1, 2, 3, 4, 5]
    );
    assert_eq!(kept(vec![hit(8_001, 1.0)]), [0_usize; 0]);
}

#[test]
fn the_same_question_in_other_words_is_closer_than_another_one() {
    let texts = [
        "my card was stolen yesterday",
        "My card got stolen!",
        "how do I mount a usb drive",
        "загубив картку вчора",
        "вчора загубили картки",
        "איבדתי את הכרטיס אתמול",
        "אתמול הכרטיס שלי אבד",
    ]
    .map(alike_terms);
    let rarity = Rarity::of(&texts);
    let texts = texts.map(|text| rarity.weigh(&text));
    let of = |a: usize, b: usize| similar(&texts[a], &texts[b]);
    assert!(of(0, 1) > 0.4 && of(3, 4) > 0.4 && of(5, 6) > 0.3);
    assert!(of(0, 2) < 0.1 && of(0, 3) < 0.01);
    let to_first = |text: &str| similar(&texts[0], &rarity.weigh(&alike_terms(text)));
    let shouted = to_first("MY CARD, WAS STOLEN: YESTERDAY?");
    assert!((shouted - of(0, 0)).abs() < 1e-6);
    assert!(to_first("🎉") < 1e-9);
}

#[test]
fn what_is_rare_counts_more() {
    let texts: Vec<_> = ["please help wifi", "please help grub", "please help sound"]
        .map(alike_terms)
        .to_vec();
    let rarity = Rarity::of(&texts);
    let first = rarity.weigh(&texts[0]);
    let of = |text: &str| similar(&first, &rarity.weigh(&alike_terms(text)));
    assert!(of("wifi broke") > of("help broke"));
}

#[test]
fn a_misspelled_word_is_closer_to_what_is_meant() {
    let texts = [
        "how do I recieve my card",
        "how do I receive my card",
        "how do I replace my card",
    ]
    .map(alike_terms);
    let rarity = Rarity::of(&texts);
    let [slip, meant, other] = texts.map(|text| rarity.weigh(&text));
    assert!(similar(&slip, &meant) > similar(&slip, &other));
}

fn some_found() -> impl Strategy<Value = Vec<Found<u8>>> {
    let candidates = prop::collection::vec((0_u8..12, -1.0_f32..50.0), 0..10);
    let one = (prop::sample::select(Leg::ALL.to_vec()), candidates)
        .prop_map(|(leg, candidates)| Found { leg, candidates });
    prop::collection::vec(one, 0..5)
}

proptest! {
    #[test]
    fn scores_lie_between_0_and_1_and_fall(found in some_found()) {
        let hits = fuse(&found);
        for hit in &hits {
            prop_assert!((0.0..=1.0).contains(&hit.score));
            let sum: f32 = hit.legs.iter().map(|leg| leg.share).sum();
            prop_assert!((sum - hit.score).abs() < 1e-5);
        }
        prop_assert!(hits.is_sorted_by(|a, b| (b.score, a.id) < (a.score, b.id)));
    }

    #[test]
    fn a_leg_of_zeros_changes_nothing(
        found in some_found(),
        leg in prop::sample::select(Leg::ALL.to_vec()),
        ids in prop::collection::vec(0_u8..12, 0..10),
    ) {
        let mut more = found.clone();
        let candidates = ids.into_iter().map(|id| (id, 0.0)).collect();
        more.push(Found { leg, candidates });
        prop_assert_eq!(fuse(&found), fuse(&more));
    }

    #[test]
    fn the_order_in_which_it_is_told_changes_nothing(found in some_found()) {
        let mut turned = found.clone();
        turned.reverse();
        for found in &mut turned {
            found.candidates.reverse();
        }
        prop_assert_eq!(fuse(&found), fuse(&turned));
    }

    #[test]
    fn the_unit_of_a_leg_changes_no_order(found in some_found(), power in 0_i32..8) {
        let mut scaled = found.clone();
        for (_, score) in scaled.iter_mut().flat_map(|found| &mut found.candidates) {
            *score *= 2_f32.powi(power);
        }
        let ids = |hits: Vec<Hit<u8>>| -> Vec<u8> { hits.into_iter().map(|hit| hit.id).collect() };
        prop_assert_eq!(ids(fuse(&found)), ids(fuse(&scaled)));
    }

    #[test]
    fn similarity_is_symmetric_and_bounded(a in ".{0,40}", b in ".{0,40}") {
        let (a, b) = (alike_terms(&a), alike_terms(&b));
        let rarity = Rarity::of([&a, &b]);
        let (a, b) = (rarity.weigh(&a), rarity.weigh(&b));
        let (there, own) = (similar(&a, &b), similar(&a, &a));
        prop_assert!((0.0..=1.0).contains(&there) && (0.0..=1.0).contains(&own));
        prop_assert_eq!(there, similar(&b, &a));
        // By how far they agree, at least one is no closer to the other than to itself.
        prop_assert!(there <= own.max(similar(&b, &b)) + 1e-5);
    }

    #[test]
    fn texts_are_as_alike_together_as_one_by_one(
        asked in some_text(),
        other in proptest::option::of(some_text()),
        texts in proptest::collection::vec(some_text(), 0..8),
    ) {
        let others: Vec<&str> = other.as_deref().into_iter().collect();
        let forms = Forms::new(&asked, &others);
        let one_by_one: Vec<f32> = texts.iter().map(|text| forms.likeness(text)).collect();
        let corpus = Corpus::of(texts.iter().map(String::as_str));
        prop_assert_eq!(forms.likeness_of_each(&corpus), one_by_one);
    }
}

/// Words of a few, so that texts share some.
fn some_text() -> impl Strategy<Value = String> {
    let words = [
        "vpn",
        "drops",
        "on",
        "the",
        "wifi",
        "принтер",
        "не",
        "работает",
        "🎉",
    ];
    let word = proptest::sample::select(words.to_vec());
    proptest::collection::vec(word, 0..9).prop_map(|words| words.join(" "))
}
