//! The binary itself, on the real parts: the local log and a private PostgreSQL.
//! Each test has a data directory of its own.

mod accounts;
mod alerts;
mod analysts;
mod api;
mod api_access;
mod apiserver;
mod asking;
mod attacks;
mod audience;
mod bad_input;
mod browser;
mod builds;
mod cases;
mod chart;
mod chart_jobs;
mod chat;
mod clients;
mod cluster;
mod command_line;
mod conversations;
mod copy;
mod damage;
mod database_lost;
mod dead_letters;
mod desk;
mod eval;
mod full_disk;
mod guests;
mod health;
mod homeserver;
mod http;
mod imports;
mod index;
mod interop;
mod irc;
mod kafka;
mod keys;
mod kills;
mod languages;
mod leaders;
mod learning;
mod local_model;
mod lookups;
mod matrix;
mod mcp;
mod mcp_http;
mod model;
mod network;
mod numbers;
mod objects;
mod outages;
mod pages;
mod partitions;
mod people;
mod pod;
mod pods;
mod policies;
mod postmaster;
mod privacy;
mod processes;
mod prometheus;
mod provider;
mod published;
mod readers;
mod reading;
mod redecide;
mod registry_away;
mod remembering;
mod replays;
mod restore;
mod retention;
mod same_cases;
mod scaling;
mod security;
mod sending;
mod steering;
mod support;
mod system;
mod talking;
mod throughput;
mod tokens;
mod traces;
mod truncation;
mod upgrade;
mod uploads;
mod visitors;
mod webhook;
mod why;

#[expect(
    dead_code,
    reason = "the vectors of its own are for the tests of its crate"
)]
#[path = "../../../embed-local/tests/tiny/mod.rs"]
mod tiny_model;
