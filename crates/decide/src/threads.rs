//! Who answers whom: links every line of a window to the earlier line it
//! answers or continues, so that conversations which run through each other
//! come apart.
//!
//! Lines are taken in order. For each one, every earlier line within reach and
//! the possibility that it starts a conversation are given a score, and the
//! best score wins; the nearer line wins a tie. A score is a sum of named
//! integer weights, one for each observation that holds (see [`Clue`]), so the
//! result depends on the lines alone. A better judge replaces [`weights`]
//! and nothing else.
//!
//! **Bounded:** a line looks at most [`REACH`] lines back.

mod clues;
mod people;
mod scene;
mod weights;
mod words;

use threadlore_model::Line;

use clues::Clue;
use scene::Scene;

/// How many lines back an answer may be from what it answers.
const REACH: usize = 100;

/// For each line the index of the earlier line it answers or continues, `None`
/// where it starts a conversation. The result has the length of `lines`, and
/// every index in it is smaller than its own position.
#[must_use]
pub fn link(lines: &[Line]) -> Vec<Option<usize>> {
    link_by(lines, &weights::of)
}

/// [`link`] with the weight of each clue given.
fn link_by(lines: &[Line], weight: &impl Fn(Clue) -> i32) -> Vec<Option<usize>> {
    let mut scene = Scene::new(lines);
    for at in 0..lines.len() {
        let link = best(&scene, at, weight);
        scene.settle(at, link);
    }
    scene.into_links()
}

fn best(scene: &Scene<'_>, at: usize, weight: &impl Fn(Clue) -> i32) -> Option<usize> {
    if let Some(certain) = scene.certain(at) {
        return Some(certain);
    }
    let mut score = 0;
    scene.starting(at, &mut |clue| score += weight(clue));
    let (mut best, mut link) = (score, None);
    for earlier in (at.saturating_sub(REACH)..at).rev() {
        let mut score = 0;
        scene.answering(at, earlier, &mut |clue| score += weight(clue));
        if score > best {
            (best, link) = (score, Some(earlier));
        }
    }
    link
}

#[cfg(test)]
mod tests;
