//! History that is imported leads to the cases that living through it would have
//! led to; and what is told of each message on the way.

mod chats;
mod lived;
mod roles;
mod traces;
