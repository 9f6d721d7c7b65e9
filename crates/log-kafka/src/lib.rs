//! The log on Apache Kafka.
