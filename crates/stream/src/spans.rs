//! Collecting the [`Span`]s of a batch.

use std::sync::Arc;
use std::time::Duration;

use threadlore_model::{Cause, EventId, Group, Timestamp, TraceContext};
use threadlore_ports::{Observer, Span, Work};

use crate::Polled;

/// A record older than this is history that is folded again, and gets no spans.
const NEWS: Duration = Duration::from_secs(24 * 3600);

/// The spans of one batch of one shard. They are reported once it is committed.
pub struct Spans {
    observer: Arc<dyn Observer>,
    group: Group,
    /// Share of messages that a trace begins with; `None` where spans are not collected.
    share: Option<f64>,
    started: Timestamp,
    done: Vec<Span>,
}

impl Spans {
    /// For a batch that begins now.
    #[must_use]
    pub fn new(observer: &Arc<dyn Observer>, group: &Group, started: Timestamp) -> Self {
        Self {
            share: observer.follows(),
            observer: Arc::clone(observer),
            group: group.clone(),
            started,
            done: Vec::new(),
        }
    }

    /// A record is taken: what follows from it carries the result on. Where spans
    /// are not collected, or the trace is not sampled, the result is the record's own trace.
    /// The role that lets messages in `begins` traces.
    pub fn record(&mut self, polled: &Polled, begins: bool) -> Option<String> {
        let event = polled.event.as_ref().ok()?;
        let cause = Cause {
            event: event.envelope.id,
            at: polled.at,
            offset: polled.offset,
        };
        let carried = event.envelope.traceparent.as_ref();
        self.taken(
            (&cause, event.body.type_name()),
            carried,
            polled.appended,
            begins,
        )
    }

    /// A queued record is taken: as [`Spans::record`]. `taken` is the record's place
    /// and the type of its event; `carried` its trace context.
    pub fn queued(
        &mut self,
        taken: (&Cause, &'static str),
        carried: Option<&String>,
        appended: Timestamp,
    ) -> Option<String> {
        self.taken(taken, carried, appended, false)
    }

    fn taken(
        &mut self,
        (cause, event_type): (&Cause, &'static str),
        carried: Option<&String>,
        appended: Timestamp,
        begins: bool,
    ) -> Option<String> {
        let id = cause.event;
        let Some(share) = self.share else {
            return carried.cloned();
        };
        let came = carried.and_then(|text| text.parse().ok());
        let context = match came {
            Some(parent) => child(&parent, &self.group, id),
            None => (begins && TraceContext::is_among(id, share))
                .then(|| TraceContext::begun(&self.group, id)),
        };
        let Some(context) = context else {
            return carried.cloned();
        };
        if self.started.since(appended) <= NEWS {
            self.done.push(Span {
                group: self.group.clone(),
                context,
                parent: came,
                work: Work::Event(event_type),
                at: cause.at,
                offset: cause.offset,
                started: self.started,
                ended: self.started,
            });
        }
        Some(context.to_string())
    }

    /// A timer fires, some time after the record that it is about.
    pub fn timer(&mut self, cause: &Cause, carried: Option<&String>) -> Option<String> {
        self.later(Work::Timer, cause, carried, (self.started, self.started))
    }

    /// A call was answered that a record had asked for.
    pub fn call(
        &mut self,
        cause: &Cause,
        carried: Option<&String>,
        time: (Timestamp, Timestamp),
    ) -> Option<String> {
        self.later(Work::Call, cause, carried, time)
    }

    fn later(
        &mut self,
        work: Work,
        cause: &Cause,
        carried: Option<&String>,
        (started, ended): (Timestamp, Timestamp),
    ) -> Option<String> {
        let came = carried.filter(|_| self.share.is_some());
        let came: Option<TraceContext> = came.and_then(|text| text.parse().ok());
        let Some(context) = came.and_then(|parent| child(&parent, &self.group, cause.event)) else {
            return carried.cloned();
        };
        self.done.push(Span {
            group: self.group.clone(),
            context,
            parent: came,
            work,
            at: cause.at,
            offset: cause.offset,
            started,
            ended,
        });
        Some(context.to_string())
    }

    /// The batch is committed.
    pub fn tell(mut self, ended: Timestamp) {
        if self.done.is_empty() {
            return;
        }
        for span in self.done.iter_mut().filter(|span| span.work != Work::Call) {
            span.ended = ended;
        }
        self.observer.done(self.done);
    }
}

fn child(parent: &TraceContext, group: &Group, id: EventId) -> Option<TraceContext> {
    parent.is_sampled().then(|| parent.child(group, id))
}
