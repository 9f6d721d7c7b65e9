//! Threadlore gateways.
