//! Tracing of messages: W3C's trace context, passed on from the cause of an event to the event.
//!
//! Nothing here is random. The id of a trace is made of the event that began it; the id of a span
//! is made of the group and the event. Work that is repeated after a crash has the same
//! id.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{EventId, Group};

/// A span of a trace, as the header `traceparent` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct TraceContext {
    trace: u128,
    span: u64,
    sampled: bool,
}

impl TraceContext {
    /// The first span of the trace that an event begins: the work of `group` on this event.
    #[must_use]
    pub fn begun(group: &Group, event: EventId) -> Self {
        let trace = EventId::of_content("trace", &[&event.to_string()]);
        Self {
            trace: trace.as_uuid().as_u128(),
            span: span(group, event),
            sampled: true,
        }
    }

    /// The span of the work of `group` on an event that carries this context. Effects, timers and
    /// records have ids of their own.
    #[must_use]
    pub fn child(&self, group: &Group, event: EventId) -> Self {
        Self {
            span: span(group, event),
            ..*self
        }
    }

    /// Whether a trace that an event begins is among a share of all, from 0 to 1.
    #[must_use]
    pub fn is_among(event: EventId, share: f64) -> bool {
        let (high, _) = EventId::of_content("trace", &[&event.to_string()])
            .as_uuid()
            .as_u64_pair();
        (high as f64) < share * (u64::MAX as f64)
    }

    /// The 16 bytes that name the trace.
    #[must_use]
    pub const fn trace(&self) -> [u8; 16] {
        self.trace.to_be_bytes()
    }

    /// The 8 bytes that name the span.
    #[must_use]
    pub const fn span(&self) -> [u8; 8] {
        self.span.to_be_bytes()
    }

    /// Whether the trace is sampled.
    #[must_use]
    pub const fn is_sampled(&self) -> bool {
        self.sampled
    }
}

fn span(group: &Group, event: EventId) -> u64 {
    let id = EventId::of_content("span", &[group.as_str(), &event.to_string()]);
    id.as_uuid().as_u64_pair().0
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = u8::from(self.sampled);
        write!(f, "00-{:032x}-{:016x}-{flags:02x}", self.trace, self.span)
    }
}

impl FromStr for TraceContext {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const REASON: &str = "it is not 00-<32 hex digits>-<16 hex digits>-<2 hex digits>";
        let hex = |part: &str, digits: usize| {
            let is = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
            let fits = part.len() == digits && part.bytes().all(is);
            let number = fits.then(|| u128::from_str_radix(part, 16).ok());
            number.flatten().ok_or(REASON)
        };
        let parts: Vec<&str> = text.split('-').collect();
        let [version, trace, span, flags, more @ ..] = &parts[..] else {
            return Err(REASON);
        };
        let version = hex(version, 2)?;
        let (trace, span) = (hex(trace, 32)?, hex(span, 16)?);
        // Later versions may add parts.
        let fits = version != 0xff && (version > 0 || more.is_empty());
        if !fits || trace == 0 || span == 0 {
            return Err(REASON);
        }
        Ok(Self {
            trace,
            span: u64::try_from(span).map_err(|_| REASON)?,
            sampled: hex(flags, 2)? & 1 == 1,
        })
    }
}

impl From<TraceContext> for String {
    fn from(context: TraceContext) -> Self {
        context.to_string()
    }
}

impl TryFrom<String> for TraceContext {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;

    const GIVEN: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn event(n: u64) -> EventId {
        EventId::of_content("test", &[&n.to_string()])
    }

    #[test]
    fn what_was_given_comes_back_and_what_is_none_is_refused() {
        let context: TraceContext = GIVEN.parse().expect("a context");
        assert_eq!(context.to_string(), GIVEN);
        assert!(context.is_sampled());
        let later = GIVEN.replacen("00-", "cc-", 1) + "-what-comes";
        assert_eq!(later.parse(), Ok(context));
        let not_kept = GIVEN.replace("-01", "-00");
        assert!(!not_kept.parse::<TraceContext>().expect("one").is_sampled());
        for bad in [
            "",
            "00",
            &GIVEN.to_uppercase(),
            &GIVEN.replacen("00-", "ff-", 1),
            &(GIVEN.to_owned() + "-more"),
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-+1",
        ] {
            assert!(bad.parse::<TraceContext>().is_err(), "{bad}");
        }
    }

    #[test]
    fn names_are_those_of_what_is_done() {
        let group = |role| Group::of_role(role);
        let root = TraceContext::begun(&group(Role::Intake), event(1));
        assert_eq!(root, TraceContext::begun(&group(Role::Intake), event(1)));
        let child = root.child(&group(Role::Buffer), event(2));
        assert_eq!(child.trace(), root.trace());
        assert_ne!(child.span(), root.span());
        for other in [
            root.child(&group(Role::Extractor), event(2)),
            root.child(&group(Role::Buffer), event(3)),
        ] {
            assert_ne!(child.span(), other.span());
        }
    }

    #[test]
    fn a_share_is_about_as_large_as_it_says() {
        let among = |share| {
            let events = (0..1000).map(event);
            events
                .filter(|id| TraceContext::is_among(*id, share))
                .count()
        };
        assert_eq!((among(0.0), among(1.0)), (0, 1000));
        let tenth = among(0.1);
        assert!((60..140).contains(&tenth), "{tenth}");
    }
}
