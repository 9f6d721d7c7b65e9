//! The store on a real PostgreSQL, one private server per test.

mod builds;
mod keys;
mod owners;
mod remains;
mod restores;
mod rollups;
mod runs;
mod spaces;
mod store;
mod support;
