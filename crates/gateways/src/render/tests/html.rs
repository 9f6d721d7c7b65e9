//! A strict reader of the HTML that is rendered.

/// The text of HTML in which every tag is allowed and closed in order, and every sign escaped.
pub(super) fn text(html: &str, allowed: &[&str]) -> Result<String, String> {
    let mut open: Vec<&str> = Vec::new();
    let mut text = String::new();
    let mut rest = html;
    while let Some(at) = rest.find(['<', '>', '&', '"']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((sign, entity)) = [
            ("&", "&amp;"),
            ("<", "&lt;"),
            (">", "&gt;"),
            ("\"", "&quot;"),
        ]
        .iter()
        .find(|(_, entity)| rest.starts_with(entity))
        {
            text.push_str(sign);
            rest = &rest[entity.len()..];
            continue;
        }
        let end = rest.find('>').filter(|_| rest.starts_with('<'));
        let end = end.ok_or_else(|| format!("not escaped: {rest:.40}"))?;
        let tag = &rest[1..end];
        rest = &rest[end + 1..];
        if tag == "br" && allowed.contains(&tag) {
            text.push('\n');
        } else if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("</{name}> closes what is not open"));
            }
        } else {
            let (name, attribute) = tag.split_once(' ').unwrap_or((tag, ""));
            if !allowed.contains(&name) || !is_allowed(name, attribute) {
                return Err(format!("<{tag}> is not allowed"));
            }
            open.push(name);
        }
    }
    text.push_str(rest);
    if open.is_empty() {
        Ok(text)
    } else {
        Err(format!("{open:?} are open"))
    }
}

fn is_allowed(tag: &str, attribute: &str) -> bool {
    let value = |name: &str| {
        let value = attribute.strip_prefix(name)?.strip_prefix("=\"")?;
        value.strip_suffix('"').filter(|value| !value.contains('"'))
    };
    match tag {
        "a" => value("href").is_some_and(|to| {
            let to = to.to_ascii_lowercase();
            let plain = !to.contains(char::is_whitespace) && !to.contains(['<', '>', '\'', '`']);
            plain
                && ["http://", "https://", "mailto:"]
                    .iter()
                    .any(|scheme| to.starts_with(scheme))
        }),
        "ol" => attribute.is_empty() || value("start").is_some_and(|n| n.parse::<u64>().is_ok()),
        "code" => {
            attribute.is_empty()
                || value("class").is_some_and(|class| class.starts_with("language-"))
        }
        _ => attribute.is_empty(),
    }
}
