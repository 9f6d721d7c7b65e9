//! Points are as the rows are, whatever happened to the index; and a question is
//! answered as well as what still works allows.

mod again;
mod desk;
mod doubles;
mod points;
mod reads;
mod searches;
