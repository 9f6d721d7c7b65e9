//! What each process of a run does: which role or projection it works for, and on what.

use std::sync::Arc;

use threadlore_callers::{EmbedCaller, ExtractCaller};
use threadlore_model::{Partition, Role};
use threadlore_ports::Silent;
use threadlore_replay::keep_folding;
use threadlore_roles::{
    Buffer, Embedder, Extractor, Gateway, Intake, IntakeParams, Learner, Processor, Promoter,
    Responder,
};
use threadlore_runtime::{Caller, NoCaller, keep_running};
use threadlore_stream::{FoldPorts, Traffic, Vault};
use tokio_util::sync::CancellationToken;

use super::World;
use crate::sim::jobs::Job;
use crate::sim::models::{SimEmbedder, SimEngine, SimRecall};
use crate::sim::platform::SimGateway;
use crate::sim::ports::{Boxed, ReadAhead, SimClock, SimKeystore, SimLog, SimStore};
use crate::sim::sched::Ctx;
use crate::sim::workload::hasher;

impl World {
    pub(super) fn sim_log(&self, ctx: &Ctx, read_ahead: ReadAhead) -> SimLog {
        SimLog::new(ctx.clone(), Arc::clone(&self.log), self.bug, read_ahead)
    }

    /// What a process does for a shard.
    pub(super) fn job(&self, ctx: &Ctx, job: Job, partition: Partition) -> Boxed {
        let (store, breaches) = (Arc::clone(&self.store), Arc::clone(&self.breaches));
        let keys = SimKeystore {
            ctx: ctx.clone(),
            inner: Arc::clone(&self.keys),
            bug: self.bug,
        };
        let read_ahead = ReadAhead::default();
        let broken = (self.bug, Arc::clone(&read_ahead));
        let ports = FoldPorts {
            log: Arc::new(self.sim_log(ctx, read_ahead)),
            store: Arc::new(SimStore::new(
                ctx.clone(),
                (store, Arc::clone(&self.log)),
                broken,
                breaches,
            )),
            vault: Vault::new(Arc::new(keys)),
            clock: Arc::new(SimClock(ctx.clone())),
            observer: Arc::new(Silent),
            traffic: Traffic::default(),
        };
        let at = (partition, ports);
        let params = self.params.clone();
        match job {
            Job::Worker(Role::Intake) => {
                let params = IntakeParams {
                    hasher: hasher(),
                    max_text_bytes: 1000,
                    case_link_base: "https://lore.example/".to_owned(),
                };
                self.worker(Intake(params), NoCaller, at)
            }
            Job::Worker(Role::Buffer) => self.worker(Buffer(params.buffer), NoCaller, at),
            Job::Worker(Role::Embedder) => {
                let engine = Arc::new(SimEmbedder(ctx.clone()));
                self.worker(Embedder(params.embedder), EmbedCaller(engine), at)
            }
            Job::Worker(Role::Responder) => {
                self.worker(Responder(params.responder), SimRecall(ctx.clone()), at)
            }
            Job::Worker(Role::Extractor) => {
                let engine = Arc::new(SimEngine {
                    ctx: ctx.clone(),
                    quick: self.quick,
                });
                self.worker(Extractor(params.extractor), ExtractCaller(engine), at)
            }
            Job::Worker(Role::Promoter) => self.worker(Promoter, NoCaller, at),
            Job::Worker(Role::Learner) => self.worker(Learner, NoCaller, at),
            Job::Worker(Role::Gateway) => {
                let gateway = SimGateway {
                    ctx: ctx.clone(),
                    platform: Arc::clone(&self.platform),
                };
                self.worker(Gateway(params.gateway), gateway, at)
            }
            Job::Worker(role) => panic!("the simulation does not know how to start {role}"),
            Job::Projector(projection) => {
                let generation = threadlore_ports::Generation {
                    projection,
                    number: 1,
                };
                let max = self.limits.batch;
                Box::pin(keep_folding(
                    generation,
                    partition,
                    at.1,
                    max,
                    CancellationToken::new(),
                ))
            }
        }
    }

    fn worker<P: Processor>(
        &self,
        processor: P,
        caller: impl Caller<P> + 'static,
        (partition, ports): (Partition, FoldPorts),
    ) -> Boxed {
        Box::pin(keep_running(
            Arc::new(processor),
            Arc::new(caller),
            partition,
            ports,
            self.limits,
            CancellationToken::new(),
        ))
    }
}
