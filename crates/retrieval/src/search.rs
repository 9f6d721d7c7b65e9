//! Finds candidate cases for a question: the index, the rows of its candidates, and the full-text
//! search of the tables where the index does not answer.
//!
//! Each stage has a time limit, a breaker and a degraded result. No failure here becomes an error
//! in a conversation.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use crate::ask::{CLOSE, Candidate, Question};
use crate::backdrop::{Backdrop, Background, OTHER_SUBJECTS};
use crate::budget::Spent;
use crate::closeness::{CLOSENESS, Signs, TextSigns};
use crate::facts::Note;
use crate::inquiry::Inquiry;
use crate::measure::{By, Took};
use crate::precedents::{Alike, Precedents, of_case, worked};
use crate::read::Reader;
use crate::recent::Recent;
use crate::record::{Degraded, FoundCase, RetrievalRecord, hundredths, thousandths};
use crate::rerank::Reranker;
use futures::future::{Either, select};
use threadlore_language::retrieve::{Cut, Hit, Synonyms, cut, expanded, fuse};
use threadlore_model::{Case, CaseId, Leg, TERMS_VERSION, Terms, query_terms};
use threadlore_ports::{
    Breaker, CaseIndex, CaseReader, CaseScore, Clock, EmbedEngine, EmbedFor, Generation,
    Generations, Layer, PortError, Projection, Query, Scope, Within,
};

/// Time for the index to answer.
const INDEX: Duration = Duration::from_millis(1500);
/// Time for the model to make a vector of the question.
const MODEL: Duration = Duration::from_millis(1500);
/// Time limit of the full-text search of the tables, and of reading the candidates' rows.
pub(crate) const TABLES: Duration = Duration::from_millis(1500);
/// Failures in a row after which a stage is left alone, and for how long.
const FAILURES: u32 = 3;
const PAUSE: Duration = Duration::from_secs(30);
/// How many candidates each leg returns, as a multiple of the wanted results.
const CANDIDATES: usize = 3;

/// The ports of retrieval.
#[derive(Clone)]
pub struct RetrievalPorts {
    /// Points of cases.
    pub index: Arc<dyn CaseIndex>,
    /// Rows of cases.
    pub cases: Arc<dyn CaseReader>,
    /// Says which build is live.
    pub builds: Arc<dyn Generations>,
    /// Makes vectors of questions, with the same model as the points' vectors.
    pub embedder: Option<Arc<dyn EmbedEngine>>,
    /// How many of a hundred answers may be wrong ones.
    pub wrong_at_most: u32,
    /// Says of each candidate how well it answers.
    pub reranker: Option<Reranker>,
    /// Reads the candidates, and says which of them answers.
    pub reader: Option<Reader>,
    /// Time limits.
    pub clock: Arc<dyn Clock>,
    /// Names of the same things.
    pub synonyms: Arc<Synonyms>,
}

/// Finds cases. All questions share one instance, so that the breaker of a failing stage holds for
/// all of them.
pub struct Retrieval {
    pub(crate) ports: RetrievalPorts,
    by: By,
    index: Breaker,
    model: Breaker,
    pub(crate) reranker: Breaker,
    pub(crate) reader: Breaker,
    /// What calls of the model that reads cost today.
    pub(crate) spent: Mutex<Spent>,
    pub(crate) tables: Breaker,
    pub(crate) precedents: Recent<Precedents>,
    /// What the space was told.
    pub(crate) bank: Recent<Vec<Arc<Note>>>,
    /// The model's vectors of [`OTHER_SUBJECTS`], once it has made them.
    background: OnceLock<Background>,
}

/// The candidates, and how they were found.
#[derive(Debug, Clone)]
pub struct Retrieved {
    /// Cases, best first within solved and open ones.
    pub candidates: Vec<Candidate>,
    /// How the candidates were found and ranked; it is stored with the answer.
    pub record: RetrievalRecord,
    /// What speaks for each candidate.
    pub signs: Vec<Signs>,
    /// Earlier questions like this one.
    pub alike: Vec<Alike>,
    /// How long the stages took.
    pub took: Took,
}

/// Cases of a layer with their ranks and legs, before they are compared.
struct Ranked {
    case: Case,
    layer: Layer,
    rank: f32,
    cosine: Option<f32>,
    stands_out: Option<f32>,
    legs: BTreeMap<&'static str, u32>,
}

impl Retrieval {
    /// Retrieval with breakers that are closed.
    #[must_use]
    pub fn new(ports: RetrievalPorts) -> Self {
        Self {
            ports,
            by: By::Both,
            index: Breaker::new(FAILURES, PAUSE),
            model: Breaker::new(FAILURES, PAUSE),
            reranker: Breaker::new(FAILURES, PAUSE),
            reader: Breaker::new(FAILURES, PAUSE),
            spent: Mutex::default(),
            tables: Breaker::new(FAILURES, PAUSE),
            precedents: Recent::default(),
            bank: Recent::default(),
            background: OnceLock::new(),
        }
    }

    /// The same search by words or by vectors alone, or without what answers were worth, with breakers of its own. It shows what each
    /// of the two finds, and what outcomes change.
    #[must_use]
    pub fn by(&self, by: By) -> Self {
        let mut ports = self.ports.clone();
        if by == By::Words {
            ports.embedder = None;
        }
        if matches!(by, By::Words | By::Vectors) {
            ports.reader = None;
            ports.reranker = None;
        }
        Self {
            by,
            ..Self::new(ports)
        }
    }

    /// The model that makes vectors of questions, if there is one.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.ports.embedder.as_ref().map(|model| model.model())
    }

    /// How many of a hundred answers may be wrong ones.
    #[must_use]
    pub fn wrong_at_most(&self) -> u32 {
        self.ports.wrong_at_most
    }

    /// Cases for a question, at most `limit` of each layer.
    pub async fn search(&self, asked: Inquiry<'_>, limit: usize) -> Retrieved {
        let others = self.ports.synonyms.others(asked.text);
        let text = expanded(asked.text, &others);
        let question = Question::new(asked.text, &others);
        let mut record = RetrievalRecord {
            terms: TERMS_VERSION,
            also: others.into_iter().map(str::to_owned).collect(),
            closeness: CLOSENESS,
            wrong_at_most: self.ports.wrong_at_most,
            ..RetrievalRecord::default()
        };
        let asked = Inquiry {
            text: &text,
            ..asked
        };
        let mut took = Took::default();
        let found = match self.by_index(asked, limit, &mut record, &mut took).await {
            Err(Degraded::Index) => {
                record.degraded.push(Degraded::Index);
                self.by_words(asked, limit).await
            }
            found => found,
        };
        let mut ranked = found.unwrap_or_else(|degraded| {
            record.degraded.push(degraded);
            Vec::new()
        });
        let mut of_layer = BTreeMap::<Layer, usize>::new();
        ranked.retain(|one| {
            let some = of_layer.entry(one.layer).or_default();
            *some += 1;
            *some <= limit
        });
        let alike = self.alike(asked, &question, &mut ranked, &record).await;
        let scores = self.scores(asked.scope, &ranked).await;
        let mut signs = self.signs(&question, &ranked, &scores, &alike);
        let cases: Vec<&Case> = ranked.iter().map(|one| &one.case).collect();
        let reranked = self.reranked(asked.text, &cases, &mut record).await;
        for (signs, reranked) in signs.iter_mut().zip(reranked) {
            signs.reranked = Some(reranked);
        }
        let mut candidates = Vec::new();
        for (one, signs) in ranked.into_iter().zip(&signs) {
            let mut close = signs.closeness(self.ports.wrong_at_most);
            if asked.had == Some(one.case.case) {
                close = close.min(CLOSE - 1);
            }
            record.found.push(FoundCase {
                case: one.case.case,
                layer: one.layer.name(),
                rank: thousandths(one.rank),
                chance: thousandths(signs.chance()),
                close,
                cosine: one.cosine.map(thousandths),
                stands_out: one.stands_out.map(|by| (by * 100.0).round() as i32),
                reranked: signs.reranked.map(thousandths),
                worked: signs.score.worked,
                failed: signs.score.failed,
                worked_before: hundredths(signs.precedents.worked),
                failed_before: hundredths(signs.precedents.failed),
                legs: one.legs,
            });
            candidates.push(Candidate {
                case: one.case,
                close,
                score: signs.score,
            });
        }
        Retrieved {
            candidates,
            record,
            signs,
            alike,
            took,
        }
    }

    /// What answers with the words that the cases have now were worth; nothing where the tables do
    /// not say.
    async fn scores(&self, scope: &Scope, ranked: &[Ranked]) -> BTreeMap<CaseId, CaseScore> {
        let worded = ranked.iter().map(|one| (one.case.case, one.case.worded_in));
        let worded: Vec<(CaseId, i64)> = worded.collect();
        if worded.is_empty() || self.by == By::Untried {
            return BTreeMap::new();
        }
        let scores = self.ports.cases.scores(scope, &worded);
        let scores = self.stage(&self.tables, TABLES, scores).await;
        scores.unwrap_or_default()
    }

    /// Earlier questions like this one; the cases that answered them are candidates too. None where the
    /// tables do not say, or have not said before.
    async fn alike(
        &self,
        asked: Inquiry<'_>,
        question: &Question,
        ranked: &mut Vec<Ranked>,
        record: &RetrievalRecord,
    ) -> Vec<Alike> {
        if matches!(self.by, By::Vectors | By::Untried)
            || record.degraded.contains(&Degraded::Tables)
        {
            return Vec::new();
        }
        let precedents = self.precedents(asked.scope, asked.readable).await;
        let alike = precedents.alike(question);
        let is_known = |case: &CaseId| ranked.iter().any(|one| one.case.case == *case);
        let mut others = worked(&alike);
        others.retain(|case| !is_known(case));
        if others.is_empty() {
            return alike;
        }
        let placed = async {
            let build = self.ports.builds.live(Projection::Cases).await?;
            self.ports.cases.placed(asked.scope, build, &others).await
        };
        let placed = self.stage(&self.tables, TABLES, placed).await;
        let channels = asked.readable.channels();
        let placed = placed.unwrap_or_default().into_iter();
        let placed = placed.filter(|(case, _)| {
            let is_readable = channels.is_none_or(|all| all.contains(&case.channel));
            is_readable && of_case(&alike, (case.case, case.worded_in)).worked > 0.0
        });
        ranked.extend(placed.map(|(case, layer)| Ranked {
            case,
            layer,
            rank: 0.0,
            cosine: None,
            stands_out: None,
            legs: BTreeMap::new(),
        }));
        alike
    }

    /// What speaks for each of the cases.
    fn signs(
        &self,
        question: &Question,
        ranked: &[Ranked],
        scores: &BTreeMap<CaseId, CaseScore>,
        alike: &[Alike],
    ) -> Vec<Signs> {
        let texts = ranked.iter().map(|one| match self.by {
            By::Vectors => TextSigns::default(),
            By::Both | By::Untried | By::Words => question.signs_of(&one.case),
        });
        let texts: Vec<TextSigns> = texts.collect();
        let stands_out = ranked.iter().map(|one| one.stands_out);
        let ranks = ranked.iter().map(|one| one.rank);
        let precedents = ranked
            .iter()
            .map(|one| of_case(alike, (one.case.case, one.case.worded_in)));
        let mut all = Signs::of_all(
            texts,
            stands_out.collect(),
            ranks.collect(),
            precedents.collect(),
            self.model(),
        );
        for (signs, one) in all.iter_mut().zip(ranked) {
            signs.score = scores.get(&one.case.case).copied().unwrap_or_default();
        }
        all
    }

    /// Solved ones first, each part best first.
    async fn by_index(
        &self,
        asked: Inquiry<'_>,
        limit: usize,
        record: &mut RetrievalRecord,
        took: &mut Took,
    ) -> Result<Vec<Ranked>, Degraded> {
        let now = || self.ports.clock.now();
        let live = self.ports.builds.live(Projection::Cases);
        let build = self
            .stage(&self.tables, TABLES, live)
            .await
            .map_err(|()| Degraded::Tables)?;
        record.build = Some(build.to_string());
        let started = now();
        let query = Query {
            terms: match self.by {
                By::Vectors => Terms::default(),
                By::Both | By::Untried | By::Words => query_terms(asked.text),
            },
            dense: self.vector(asked.text, record).await,
        };
        took.model = now().since(started);
        let started = now();
        let find = self.find(build, asked, &query, limit);
        let (hits, cosines) = self
            .stage(&self.index, INDEX, find)
            .await
            .map_err(|()| Degraded::Index)?;
        took.index = now().since(started);
        let backdrop = self.backdrop(query.dense.as_deref(), &cosines).await;
        let started = now();
        let ids: Vec<CaseId> = hits.iter().map(|hit| hit.id).collect();
        let placed = self.ports.cases.placed(asked.scope, build, &ids);
        let placed = self.stage(&self.tables, TABLES, placed).await;
        took.tables = now().since(started);
        let mut placed: BTreeMap<CaseId, (Case, Layer)> = placed
            .map_err(|()| Degraded::Tables)?
            .into_iter()
            .map(|(case, layer)| (case.case, (case, layer)))
            .collect();
        let ranked = hits.into_iter().filter_map(|hit| {
            let (case, layer) = placed.remove(&hit.id)?;
            let legs = hit.legs.iter();
            Some(Ranked {
                case,
                layer,
                rank: hit.score,
                cosine: hit.raw(Leg::Dense),
                stands_out: backdrop.as_ref().and_then(|all| all.stands_out(hit.id)),
                legs: legs
                    .map(|leg| (leg.leg.name(), thousandths(leg.share)))
                    .collect(),
            })
        });
        Ok(ranked.collect())
    }

    /// The question's vector, if there is a model and it answers.
    async fn vector(&self, text: &str, record: &mut RetrievalRecord) -> Option<Vec<f32>> {
        let embedder = self.ports.embedder.as_ref()?;
        let texts = [text.to_owned()];
        let embed = embedder.embed(&texts, EmbedFor::Query);
        match self.stage(&self.model, MODEL, embed).await {
            Ok(vectors) => vectors.into_iter().next(),
            Err(()) => {
                record.degraded.push(Degraded::Model);
                None
            }
        }
    }

    /// The question's cosines with cases, before those with texts on other subjects. `None`
    /// without a model, or if it does not answer.
    async fn backdrop(
        &self,
        question: Option<&[f32]>,
        cases: &[(CaseId, f32)],
    ) -> Option<Backdrop<CaseId>> {
        let (question, embedder) = (question?, self.ports.embedder.as_ref()?);
        if self.background.get().is_none() {
            let texts = OTHER_SUBJECTS.map(str::to_owned);
            let embed = embedder.embed(&texts, EmbedFor::Passage);
            let vectors = self.stage(&self.model, MODEL, embed).await.ok()?;
            // Another question may have been first; the vectors are the same.
            self.background.set(Background::new(vectors)).ok();
        }
        let background = self.background.get()?;
        Some(background.behind(question, cases))
    }

    async fn find(
        &self,
        build: Generation,
        asked: Inquiry<'_>,
        query: &Query,
        limit: usize,
    ) -> Result<(Vec<Hit<CaseId>>, Vec<(CaseId, f32)>), PortError> {
        let cuts = Cut {
            most: limit * CANDIDATES,
            ..Cut::default()
        };
        let (mut hits, mut cosines) = (Vec::new(), Vec::new());
        for solved in [true, false] {
            let within = Within {
                channels: asked.readable.channels().cloned(),
                solved: Some(solved),
            };
            let index = &self.ports.index;
            let candidates = limit * CANDIDATES * Leg::ALL.len();
            let found = index.find(build, asked.scope, &within, query, candidates);
            let found = found.await?;
            let dense = found.iter().filter(|of| of.leg == Leg::Dense);
            cosines.extend(dense.flat_map(|of| of.candidates.iter().copied()));
            // How long a case is, is not known yet; a case is one row, and short.
            hits.extend(cut(fuse(&found), &cuts, |_| 0));
        }
        Ok((hits, cosines))
    }

    async fn by_words(&self, asked: Inquiry<'_>, limit: usize) -> Result<Vec<Ranked>, Degraded> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let cases = &self.ports.cases;
        let search = cases.search(asked.scope, asked.readable, asked.text, limit);
        let found = self.stage(&self.tables, TABLES, search).await;
        let ranked = found.map_err(|()| Degraded::Tables)?.into_iter();
        Ok(ranked
            .map(|hit| Ranked {
                case: hit.case,
                layer: hit.layer,
                rank: hit.score as f32 / 1000.0,
                cosine: None,
                stands_out: None,
                legs: BTreeMap::new(),
            })
            .collect())
    }

    /// The answer of a stage. `None` if it fails or is late, or if its breaker is open.
    pub(crate) async fn stage<T>(
        &self,
        breaker: &Breaker,
        limit: Duration,
        work: impl Future<Output = Result<T, PortError>>,
    ) -> Result<T, ()> {
        let clock = &self.ports.clock;
        let admitted = breaker.admit(clock.now()).ok_or(())?;
        let work = std::pin::pin!(work);
        match select(work, clock.sleep(limit)).await {
            Either::Left((Ok(answer), _)) => {
                admitted.worked();
                Ok(answer)
            }
            Either::Left((Err(error), _)) => {
                tracing::warn!(%error, "a stage of the search failed");
                admitted.failed(clock.now());
                Err(())
            }
            Either::Right(_) => {
                tracing::warn!(
                    limit_ms = limit.as_millis() as u64,
                    "a stage of the search took too long"
                );
                admitted.failed(clock.now());
                Err(())
            }
        }
    }
}
