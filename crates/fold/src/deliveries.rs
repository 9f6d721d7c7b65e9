//! The fold of deliveries, from `deliveries`: what gateways sent to their platforms.

use threadlore_model::{
    AnswerId, Body, ChannelId, DeliveryAction, DeliveryResult, Event, SpaceId, Timestamp,
};

use crate::table::table;
use crate::text::{clean, clean_model, clean_time};
use crate::{Folded, ProjectedRow};

/// Something that a gateway was to do with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryRow {
    /// The tenant.
    pub space: SpaceId,
    /// The answer.
    pub answer: AnswerId,
    /// What was to be done.
    pub action: DeliveryAction,
    /// The channel.
    pub channel: ChannelId,
    /// The gateway.
    pub gateway: String,
    /// What became of it; `None` while it is under way.
    pub result: Option<DeliveryResult>,
    /// Why it failed.
    pub reason: Option<String>,
    /// The platform's ids of the messages that were posted, in their order.
    pub native_ids: Vec<String>,
    /// When it was begun; `None` where it failed before that.
    pub begun_at: Option<Timestamp>,
    /// When it had its result.
    pub ended_at: Option<Timestamp>,
}

table!(
    DeliveryRow: "deliveries",
    key [space, answer, action],
    columns [channel, gateway, result, reason, native_ids, begun_at, ended_at]
);

impl ProjectedRow for DeliveryRow {
    type Key = (SpaceId, AnswerId, DeliveryAction);

    fn touched(event: &Event) -> Option<Self::Key> {
        let about = About::of(event)?;
        Some((event.envelope.space.clone(), about.answer, about.action))
    }

    fn key(&self) -> Self::Key {
        (self.space.clone(), self.answer, self.action)
    }

    fn fold(row: &mut Option<Self>, event: &Event) -> Folded {
        fold_delivery(row, event)
    }
}

/// What an event says of a delivery.
struct About<'a> {
    answer: AnswerId,
    action: DeliveryAction,
    channel: &'a ChannelId,
    gateway: &'a str,
    step: Step<'a>,
    now: Timestamp,
}

enum Step<'a> {
    Begun,
    Delivered(&'a [String]),
    Failed(&'a str),
}

impl<'a> About<'a> {
    fn of(event: &'a Event) -> Option<Self> {
        Some(match &event.body {
            Body::DeliveryAttempted(e) => Self {
                answer: e.answer,
                action: e.what,
                channel: &e.channel,
                gateway: &e.gateway,
                step: Step::Begun,
                now: e.now,
            },
            Body::AnswerDelivered(e) => Self {
                answer: e.answer,
                action: e.what,
                channel: &e.channel,
                gateway: &e.gateway,
                step: Step::Delivered(&e.native_ids),
                now: e.now,
            },
            Body::DeliveryFailed(e) => Self {
                answer: e.answer,
                action: e.what,
                channel: &e.channel,
                gateway: &e.gateway,
                step: Step::Failed(&e.reason),
                now: e.now,
            },
            _ => return None,
        })
    }

    fn row(&self, space: &SpaceId) -> DeliveryRow {
        DeliveryRow {
            space: space.clone(),
            answer: self.answer,
            action: self.action,
            channel: self.channel.clone(),
            gateway: clean_model(self.gateway),
            result: None,
            reason: None,
            native_ids: Vec::new(),
            begun_at: None,
            ended_at: None,
        }
    }
}

/// Folds an event into the delivery that it is about; others change nothing. The first begin and the
/// first result count.
pub fn fold_delivery(row: &mut Option<DeliveryRow>, event: &Event) -> Folded {
    let Some(about) = About::of(event) else {
        return Folded::Unchanged("the event is not about a delivery");
    };
    let result = row.as_ref().and_then(|row| row.result);
    let begun = row.as_ref().and_then(|row| row.begun_at);
    if result.is_some() {
        return Folded::Unchanged("the delivery has its result");
    }
    if begun.is_some() && matches!(about.step, Step::Begun) {
        return Folded::Unchanged("the delivery was begun");
    }
    let row = row.get_or_insert_with(|| about.row(&event.envelope.space));
    let at = Some(clean_time(about.now));
    match about.step {
        Step::Begun => row.begun_at = at,
        Step::Delivered(native_ids) => {
            row.result = Some(DeliveryResult::Delivered);
            row.native_ids = native_ids.iter().map(|id| clean(id)).collect();
            row.ended_at = at;
        }
        Step::Failed(reason) => {
            row.result = Some(DeliveryResult::Failed);
            row.reason = Some(clean(reason));
            row.ended_at = at;
        }
    }
    Folded::Changed
}

#[cfg(test)]
mod tests {
    use threadlore_model::{AnswerDelivered, DeliveryAttempted, DeliveryFailed, Projection};
    use uuid::Uuid;

    use super::*;
    use crate::testing::{at, channel, event};
    use crate::{Row, Rows};

    fn answer() -> AnswerId {
        AnswerId::from_uuid(Uuid::from_u128(1))
    }

    fn begun(what: DeliveryAction, now: i64) -> Event {
        event(DeliveryAttempted {
            answer: answer(),
            channel: channel(),
            gateway: "matrix".to_owned(),
            what,
            now: at(now),
        })
    }

    fn delivered(what: DeliveryAction, native_ids: &[&str]) -> Event {
        event(AnswerDelivered {
            answer: answer(),
            channel: channel(),
            gateway: "matrix".to_owned(),
            what,
            native_ids: native_ids.iter().map(|id| (*id).to_owned()).collect(),
            now: at(20),
        })
    }

    fn failed(reason: &str) -> Event {
        event(DeliveryFailed {
            answer: answer(),
            channel: channel(),
            gateway: "matrix".to_owned(),
            what: DeliveryAction::Post,
            reason: reason.to_owned(),
            now: at(30),
        })
    }

    fn folded(events: &[Event]) -> Vec<DeliveryRow> {
        let mut rows = Rows::of(Projection::Deliveries, []);
        for event in events {
            rows.fold(event);
        }
        let changed = rows.into_changed().into_iter();
        let rows = changed.filter_map(|change| match change.row {
            Some(Row::Delivery(delivery)) => Some(delivery),
            _ => None,
        });
        rows.collect()
    }

    #[test]
    fn a_delivery_is_begun_and_has_its_result() {
        let rows = folded(&[
            begun(DeliveryAction::Post, 10),
            delivered(DeliveryAction::Post, &["$a\0", "$b"]),
        ]);
        let [row] = &rows[..] else {
            panic!("one row: {rows:?}")
        };
        assert_eq!(row.result, Some(DeliveryResult::Delivered));
        assert_eq!(row.native_ids, ["$a\u{fffd}", "$b"]);
        assert_eq!((row.begun_at, row.ended_at), (Some(at(10)), Some(at(20))));
    }

    #[test]
    fn an_answer_that_is_taken_back_has_a_row_for_that() {
        let rows = folded(&[
            delivered(DeliveryAction::Post, &["$a"]),
            begun(DeliveryAction::Withdraw, 11),
            delivered(DeliveryAction::Withdraw, &[]),
        ]);
        let actions: Vec<_> = rows.iter().map(|row| row.action).collect();
        assert_eq!(actions, [DeliveryAction::Post, DeliveryAction::Withdraw]);
    }

    #[test]
    fn the_first_result_counts() {
        let rows = folded(&[
            failed("it was not sent in time"),
            begun(DeliveryAction::Post, 10),
            delivered(DeliveryAction::Post, &["$a"]),
        ]);
        assert_eq!(rows[0].result, Some(DeliveryResult::Failed));
        assert_eq!(rows[0].reason.as_deref(), Some("it was not sent in time"));
        assert_eq!(rows[0].begun_at, None);
    }
}
