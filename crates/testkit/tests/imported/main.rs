//! History that is imported leads to the cases that living through it would have
//! led to (C28, C29; design §4, "Time"); and what is told of each message on the way.

mod chats;
mod lived;
mod roles;
mod traces;
