//! How far the vector of a case stands out for a question.
//!
//! Cosines differ from model to model, from subject to subject and from question to question: for
//! one question 0.83 is the right case, for another nothing above 0.87 has anything to do with it.
//! So a cosine is compared with those that the same question has with other texts: the other cases
//! that were found, and a few fixed texts on many subjects. The unit is the spread of the fixed
//! texts' cosines, so the measure means the same with another model.

/// Texts about many subjects, as people write them in chats, in several languages. They stand for
/// cases where there are few.
pub const OTHER_SUBJECTS: [&str; 32] = [
    "The invoice has the wrong address, whom do I ask to correct it?",
    "My phone gets hot while charging and the battery is empty by noon",
    "How do I prune the roses before winter?",
    "The build fails with a linker error since the last update of the compiler",
    "Which bus goes from the station to the airport on Sundays?",
    "The washing machine stops in the middle of the program and shows E18",
    "Can I share a calendar with people outside the company?",
    "After the upgrade the login page only shows an empty screen",
    "Does the gym accept day visitors, and what does it cost?",
    "My dog does not eat the new food, should I mix it with the old one?",
    "The query takes minutes although there is an index on the column",
    "How long does the transfer to an account abroad take?",
    "The headphones connect but there is no sound in one ear",
    "Where can I download the forms for the tax declaration?",
    "The bread does not rise although the yeast is fresh",
    "Our test server answers with error 502 every few hours",
    "Как поменять адрес доставки, если заказ уже оплачен?",
    "После обновления телефон не видит карту памяти",
    "Сколько времени варить гречку, чтобы она была рассыпчатой?",
    "Сервер не отвечает, в логах ошибка соединения с базой",
    "Где посмотреть расписание электричек на выходные?",
    "Принтер печатает полосами, картридж новый",
    "Як повернути гроші за скасований квиток?",
    "Програма закривається одразу після запуску, що робити?",
    "Коли краще садити картоплю цього року?",
    "Не приходить код підтвердження на пошту",
    "Чи потрібна віза для поїздки на тиждень?",
    "איך מבטלים מנוי ומקבלים החזר?",
    "המחשב נכבה לבד כשמשחקים",
    "מתי פתוח המוזיאון בשבת?",
    "האפליקציה לא שולחת התראות מאז העדכון",
    "כמה זמן מבשלים אורז מלא?",
];

/// How many of the nearest other texts a case is compared with.
const NEAREST: usize = 4;
/// The least spread: a model whose cosines are all the same tells nothing.
const LEAST_SPREAD: f32 = 0.001;

/// The vectors of [`OTHER_SUBJECTS`] by one model, and what they say of the model.
#[derive(Debug, Clone)]
pub struct Background {
    vectors: Vec<Vec<f32>>,
    /// The standard deviation of the cosines of any two of them.
    spread: f32,
}

impl Background {
    /// From the model's vectors of the texts.
    #[must_use]
    pub fn new(vectors: Vec<Vec<f32>>) -> Self {
        let firsts = vectors.iter().enumerate();
        let pairs = firsts.flat_map(|(at, a)| vectors[at + 1..].iter().map(|b| cosine(a, b)));
        let pairs: Vec<f32> = pairs.collect();
        let mean = mean(&pairs);
        let squares: Vec<f32> = pairs.iter().map(|pair| (pair - mean).powi(2)).collect();
        Self {
            spread: self::mean(&squares).sqrt().max(LEAST_SPREAD),
            vectors,
        }
    }

    /// The cosines of a question with cases, as the index found them, before this background.
    #[must_use]
    pub fn behind<I: Copy + Ord>(&self, question: &[f32], cases: &[(I, f32)]) -> Backdrop<I> {
        let mut cases = cases.to_vec();
        cases.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        cases.dedup_by_key(|(case, _)| *case);
        let others = self.vectors.iter().map(|other| cosine(question, other));
        let mut others: Vec<f32> = others.collect();
        others.sort_by(|a, b| b.total_cmp(a));
        Backdrop {
            cases,
            others,
            spread: self.spread,
        }
    }
}

/// The cosines that one question has, each list highest first.
#[derive(Debug, Clone)]
pub struct Backdrop<I> {
    cases: Vec<(I, f32)>,
    others: Vec<f32>,
    spread: f32,
}

impl<I: Copy + Ord> Backdrop<I> {
    /// By how much the cosine of a case is above the mean of those of the nearest other cases, in
    /// spreads of the model. Where there are too few cases, the fixed texts take their places.
    /// `None` for a case that the vectors did not find.
    #[must_use]
    pub fn stands_out(&self, case: I) -> Option<f32> {
        let (_, of_case) = self.cases.iter().find(|(id, _)| *id == case)?;
        let cases = self.cases.iter().filter(|(id, _)| *id != case);
        let nearest = cases.map(|(_, cosine)| *cosine);
        let nearest = nearest.chain(self.others.iter().copied()).take(NEAREST);
        let level = mean(&nearest.collect::<Vec<f32>>());
        Some((of_case - level) / self.spread)
    }
}

/// The mean; 0 of nothing.
fn mean(numbers: &[f32]) -> f32 {
    numbers.iter().sum::<f32>() / numbers.len().max(1) as f32
}

/// The cosine of two vectors; 0 if one has no length, or they are of different models.
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let length = |vector: &[f32]| vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    let lengths = length(a) * length(b);
    if a.len() == b.len() && lengths > 0.0 {
        dot / lengths
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use threadlore_model::{CaseId, EventId};

    use super::*;

    fn case(name: &str) -> CaseId {
        CaseId::from_uuid(EventId::of_content("test", &[name]).as_uuid())
    }

    /// Three texts whose cosines with `[1, 0]` are 0, 0.6 and 0.8.
    fn background() -> Background {
        let vectors = [[0.0, 1.0], [0.6, 0.8], [0.8, 0.6]];
        Background::new(vectors.map(Vec::from).to_vec())
    }

    fn stands_out(cases: &[(&str, f32)]) -> Vec<Option<f32>> {
        let found: Vec<_> = cases.iter().map(|(name, at)| (case(name), *at)).collect();
        let backdrop = background().behind(&[1.0, 0.0], &found);
        let of = cases
            .iter()
            .map(|(name, _)| backdrop.stands_out(case(name)));
        of.collect()
    }

    #[test]
    fn a_case_that_is_nearer_than_all_others_stands_out() {
        let cases = [
            ("a", 0.9),
            ("b", 0.5),
            ("c", 0.5),
            ("d", 0.5),
            ("e", 0.5),
            ("f", 0.1),
        ];
        let [a, b, ..] = stands_out(&cases)[..] else {
            panic!("of each case")
        };
        let spread = background().spread;
        assert!((a.expect("found") * spread - 0.4).abs() < 1e-6, "{a:?}");
        assert!(b.expect("found") < 0.0, "{b:?}");
    }

    #[test]
    fn where_there_are_few_cases_texts_on_other_subjects_take_their_places() {
        let alone = stands_out(&[("a", 0.9)])[0].expect("found");
        let expected = (0.9 - (0.8 + 0.6) / 3.0) / background().spread;
        assert!((alone - expected).abs() < 1e-5, "{alone} is not {expected}");
    }

    #[test]
    fn a_case_that_no_vector_found_has_none_and_two_findings_count_once() {
        let twice = [("a", 0.9), ("a", 0.9)];
        assert_eq!(stands_out(&twice)[0], stands_out(&twice[..1])[0]);
        let backdrop = background().behind(&[1.0, 0.0], &[]);
        assert_eq!(backdrop.stands_out(case("a")), None);
    }

    #[test]
    fn a_model_that_tells_nothing_apart_divides_by_no_zero() {
        let same = Background::new(vec![vec![1.0, 0.0]; 3]);
        let backdrop = same.behind(&[0.0, 0.0], &[(case("a"), 0.5)]);
        assert!(backdrop.stands_out(case("a")).expect("found").is_finite());
        let none = Background::new(Vec::new());
        let backdrop = none.behind(&[1.0], &[(case("a"), 0.5)]);
        assert!(backdrop.stands_out(case("a")).expect("found").is_finite());
    }
}
