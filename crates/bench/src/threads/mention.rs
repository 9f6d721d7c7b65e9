//! A rule of a few lines to compare with: who is addressed answers their own
//! mention, and who addresses somebody answers that person's last message.

use std::collections::HashMap;

use threadlore_model::Line;

/// A message that begins with a name answers the last message of that person;
/// any other continues its writer's own last message, or answers the last one
/// that addressed them since; a writer who has neither starts a conversation.
pub(super) fn link(lines: &[Line]) -> Vec<Option<usize>> {
    let mut last_by: HashMap<String, usize> = HashMap::new();
    let mut last_to: HashMap<String, usize> = HashMap::new();
    let mut links = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        let name = line.name.as_deref().unwrap_or_default().to_lowercase();
        let first = line.text.split([':', ',', ' ']).next().unwrap_or_default();
        let target = Some(first.to_lowercase()).filter(|target| *target != name);
        let target = target.and_then(|target| Some((last_by.get(&target).copied()?, target)));
        links.push(match &target {
            Some((answered, _)) => Some(*answered),
            None => last_to.get(&name).max(last_by.get(&name)).copied(),
        });
        if let Some((_, target)) = target {
            last_to.insert(target, at);
        }
        last_by.insert(name, at);
    }
    links
}
