//! Metrics of Kafka's client library, by the purpose of its clients.

use prometheus::{GaugeVec, IntCounterVec, IntGaugeVec, Registry};

use crate::catalogue;
use crate::metrics::{counter, gauge, real, set};
use crate::{Error, Metrics};

#[derive(Clone, Debug)]
pub(crate) struct Clients {
    brokers: IntGaugeVec,
    round_trip: GaugeVec,
    requests: IntGaugeVec,
    records: IntGaugeVec,
    bytes: IntCounterVec,
    errors: IntCounterVec,
}

impl Clients {
    pub(crate) fn new(registry: &Registry) -> Result<Self, Error> {
        Ok(Self {
            brokers: gauge(registry, &catalogue::BROKERS)?,
            round_trip: real(registry, &catalogue::ROUND_TRIP)?,
            requests: gauge(registry, &catalogue::REQUESTS)?,
            records: gauge(registry, &catalogue::RECORDS)?,
            bytes: counter(registry, &catalogue::BYTES)?,
            errors: counter(registry, &catalogue::ERRORS)?,
        })
    }
}

impl Metrics {
    /// Brokers that clients are connected to, and that one of them lost.
    pub fn client_brokers(&self, client: &'static str, up: u64, down: u64) {
        set(&self.clients.brokers, &[client, "up"], up);
        set(&self.clients.brokers, &[client, "down"], down);
    }

    /// Seconds that half of the latest requests took at most, and 99 in 100.
    pub fn client_round_trip(&self, client: &'static str, p50: f64, p99: f64) {
        for (quantile, seconds) in [("0.5", p50), ("0.99", p99)] {
            let gauge = self
                .clients
                .round_trip
                .with_label_values(&[client, quantile]);
            gauge.set(seconds);
        }
    }

    /// Requests that wait to be sent; `failed` more failed.
    pub fn client_requests(&self, client: &'static str, waiting: u64, failed: u64) {
        set(&self.clients.requests, &[client], waiting);
        self.clients
            .errors
            .with_label_values(&[client])
            .inc_by(failed);
    }

    /// Records in memory: those to be written, and those to be read by a role.
    pub fn client_records(&self, client: &'static str, to_write: u64, to_take: u64) {
        set(&self.clients.records, &[client, "write"], to_write);
        set(&self.clients.records, &[client, "take"], to_take);
    }

    /// So many more bytes were sent and received.
    pub fn client_bytes(&self, client: &'static str, sent: u64, received: u64) {
        for (way, count) in [("sent", sent), ("received", received)] {
            self.clients
                .bytes
                .with_label_values(&[client, way])
                .inc_by(count);
        }
    }
}
