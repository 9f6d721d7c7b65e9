//! Terms of texts in many scripts, and laws that hold for every text.

use proptest::prelude::*;

use super::*;
use crate::{Leg, SparseVector, Terms};

/// How much of a question's leg stands in a document's leg, in hundredths.
fn found(question: &str, text: &str, leg: Leg) -> usize {
    let (question, text) = (query_terms(question), document_terms(text));
    let of = |terms: &Terms| -> Vec<u32> {
        let vector = terms.leg(leg).map_or(&[][..], SparseVector::terms);
        vector.iter().map(|(hash, _)| *hash).collect()
    };
    let (question, text) = (of(&question), of(&text));
    let both = question.iter().filter(|hash| text.contains(hash)).count();
    100 * both / question.len().max(1)
}

#[test]
fn the_hash_is_fnv_1a() {
    let hash = |text: &str| hash(&text.chars().collect::<Vec<_>>());
    assert_eq!(hash(""), 0x811c_9dc5);
    assert_eq!(hash("a"), 0xe40c_292c);
    assert_eq!(hash("foobar"), 0xbf9c_f968);
}

#[test]
fn terms_of_version_1_stay_as_they_are() {
    assert_eq!(TERMS_VERSION, 1);
    let terms = document_terms("Де мʼята? de 卡丢了");
    // Counted and hashed by another program.
    let sum = |leg: Leg| -> (usize, u32) {
        let terms = terms.leg(leg).map_or(&[][..], SparseVector::terms);
        let hashes = terms.iter().fold(0, |all: u32, term| all ^ term.0);
        (terms.len(), hashes)
    };
    assert_eq!(sum(Leg::Words), (5, 0x13f2_e53d));
    assert_eq!(sum(Leg::Stems), (6, 0xf3d9_5ad6));
    assert_eq!(sum(Leg::Grams), (16, 0xc0a9_7bfe));
}

#[test]
fn forms_of_a_word_meet_in_grams() {
    for (question, text) in [
        ("картки", "загубив картку"),
        ("установка драйвера", "как установить драйвер"),
        ("הכרטיס", "איבדתי כרטיס"),
        ("الكتاب", "كتابي ضاع"),
        ("installing", "installed"),
    ] {
        assert_eq!(found(question, text, Leg::Words), 0, "{question}");
        assert!(found(question, text, Leg::Grams) >= 25, "{question}");
    }
}

#[test]
fn points_and_accents_make_no_difference() {
    for (a, b) in [
        ("שָׁלוֹם עוֹלָם", "שלום עולם"),
        ("ё й ї", "е и і"),
        ("كِتَابٌ", "كتاب"),
        ("CAFÉ", "cafe"),
    ] {
        assert_eq!(document_terms(a), document_terms(b));
    }
}

#[test]
fn chinese_and_japanese_are_found_inside_a_clause() {
    for (question, text) in [("丢卡", "我丢卡了怎么办"), ("東京", "昨日東京に着いた")]
    {
        assert_eq!(found(question, text, Leg::Words), 100);
        assert_eq!(found(question, text, Leg::Stems), 100);
        assert_eq!(found(question, text, Leg::Grams), 100);
    }
    assert_eq!(found("卡", "我丢卡了", Leg::Stems), 100);
}

#[test]
fn a_text_without_letters_has_no_terms() {
    assert!(document_terms("👍 … --- 🎉").is_empty());
    assert!(query_terms("").is_empty());
}

#[test]
fn what_compares_texts_has_the_grams_of_the_index_and_shorter_ones() {
    for text in ["Де мʼята? de", "卡丢了", "recieve", "a"] {
        let (alike, grams) = (alike_terms(text), document_terms(text).grams);
        let has = |hash: u32| alike.terms().iter().any(|(other, _)| *other == hash);
        assert!(grams.terms().iter().all(|(hash, _)| has(*hash)), "{text}");
        assert!(alike.terms().len() > grams.terms().len(), "{text}");
    }
    let two = |letters: [char; 2]| hash(&letters);
    let alike = alike_terms("ab");
    for run in [['_', 'a'], ['a', 'b'], ['b', '_']] {
        assert!(alike.terms().iter().any(|(hash, _)| *hash == two(run)));
    }
}

#[test]
fn more_of_the_same_counts_less_and_length_is_held_against() {
    let weight = |text: &str| {
        let wanted = hash(&['x']);
        let terms = document_terms(text).words;
        let mut terms = terms.terms().iter();
        terms
            .find(|(hash, _)| *hash == wanted)
            .map_or(0.0, |(_, w)| *w)
    };
    let (once, twice, often) = (weight("x"), weight("x x"), weight(&"x ".repeat(50)));
    assert!(once < twice && twice < often && often < K1 + 1.0);
    assert!(twice < 2.0 * once);
    assert!(weight(&format!("x {}", "y ".repeat(500))) < once);
}

#[test]
fn a_huge_text_is_cut() {
    let huge: String = (0..2_000_000_u32)
        .map(|n| char::from_u32(0x4e00 + n.wrapping_mul(2_654_435_761) % 20_000).unwrap_or(' '))
        .collect();
    let terms = document_terms(&huge);
    let legs = Leg::SPARSE.map(|leg| terms.leg(leg).cloned().unwrap_or_default());
    for vector in legs.into_iter().chain([alike_terms(&huge)]) {
        let size = vector.terms().len();
        assert!(size > 1_000 && size < 4 * MOST_CHARACTERS, "{size}");
    }
}

fn is_well_formed(vector: &SparseVector) -> bool {
    let terms = vector.terms();
    terms.is_sorted_by(|a, b| a.0 < b.0)
        && terms.iter().all(|(_, w)| *w > 0.0 && *w < K1 + 1.0)
        && terms.len() < 4 * MOST_CHARACTERS
}

proptest! {
    #[test]
    fn any_text_has_sorted_unique_positive_terms(text in any::<String>()) {
        for terms in [document_terms(&text), query_terms(&text)] {
            for leg in Leg::SPARSE {
                let vector = terms.leg(leg).cloned().unwrap_or_default();
                prop_assert!(is_well_formed(&vector));
            }
        }
        prop_assert!(is_well_formed(&alike_terms(&text)));
    }

    #[test]
    fn words_in_another_order_are_the_same_words(
        words in prop::collection::vec("[a-zа-яא-ת]{1,8}", 0..12),
        by in 0_usize..12,
    ) {
        let mut turned = words.clone();
        turned.rotate_left(by % words.len().max(1));
        turned.reverse();
        let (a, b) = (document_terms(&words.join(" ")), document_terms(&turned.join(", ")));
        prop_assert_eq!(a, b);
    }

    #[test]
    fn a_question_and_a_text_of_the_same_words_have_the_same_hashes(text in any::<String>()) {
        let (question, document) = (query_terms(&text), document_terms(&text));
        for leg in Leg::SPARSE {
            let hashes = |terms: &Terms| -> Vec<u32> {
                let vector = terms.leg(leg).map_or(&[][..], SparseVector::terms);
                vector.iter().map(|(hash, _)| *hash).collect()
            };
            prop_assert_eq!(hashes(&question), hashes(&document));
        }
    }
}
