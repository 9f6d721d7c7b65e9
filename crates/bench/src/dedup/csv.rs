//! Reads the two columns of BANKING77's files, a text and its intent.

use std::fs;
use std::path::Path;

use anyhow::Context;

/// A text with its label.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Labelled {
    pub(crate) text: String,
    pub(crate) intent: String,
}

/// Every row below the header.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<Labelled>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut rows = parse(&text).into_iter();
    let header = rows.next().unwrap_or_default();
    anyhow::ensure!(
        header == ["text", "category"],
        "{}: expected the columns text,category, found {header:?}",
        path.display()
    );
    rows.map(|row| match <[String; 2]>::try_from(row) {
        Ok([text, intent]) => Ok(Labelled { text, intent }),
        Err(row) => anyhow::bail!("{}: not two columns: {row:?}", path.display()),
    })
    .collect()
}

/// Rows of fields; a quoted field may hold commas, line breaks and doubled quotes.
fn parse(text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let (mut row, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            _ => field.push(letter),
        }
    }
    if !field.is_empty() || !row.is_empty() {
        row.push(field);
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_fields_hold_anything() {
        let rows = parse("text,category\r\n\"a, \"\"b\"\"\nc\",x\nd,y");
        assert_eq!(rows[1], ["a, \"b\"\nc", "x"]);
        assert_eq!(rows[2], ["d", "y"]);
        assert_eq!(rows.len(), 3);
    }
}
