//! The store on a real PostgreSQL, one private server per test.

mod events;
mod owners;
mod spaces;
mod store;
mod support;
