//! The webhook gateway over real HTTP: calls that come in, and deliveries to a receiver.

mod bot;
mod deliver;
mod hostile;
mod receive;
mod support;
