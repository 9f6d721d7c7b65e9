//! History that is imported leads to the cases that living through it would have
//! led to (C28, C29; design §4, "Time").

mod chats;
mod lived;
mod roles;
