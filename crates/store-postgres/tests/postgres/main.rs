//! The store on a real PostgreSQL, one private server per test.

mod owners;
mod spaces;
mod store;
mod support;
