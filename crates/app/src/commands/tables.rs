//! `threadlore export --tables`: the views for analysts as files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Int64Builder, ListBuilder, StringBuilder,
    TimestampMillisecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use jiff::Timestamp;
use jiff::civil::Date;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde::Serialize;
use threadlore_fold::{Kind, Value};
use threadlore_model::SpaceId;
use threadlore_ports::Right;
use threadlore_store_postgres::{ViewColumn, ViewKind, ViewSink};

use super::Call;
use super::archive::check_free;
use super::destination::Destination;
use crate::cli::{Export, TableFormat};
use crate::exit::BadInput;
use crate::printable::counted;

/// The zone of moments.
const UTC: &str = "UTC";
/// Rows that are held before they are written.
const BATCH: usize = 8_192;
/// How texts begin that a spreadsheet takes for a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// What was written.
#[derive(Serialize)]
struct TableExport {
    space: SpaceId,
    to: String,
    /// Rows of each table.
    tables: BTreeMap<String, u64>,
}

pub(super) async fn run(options: &Export, call: &Call<'_>) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let scope = node.scope(&options.space, Right::Read)?;
    if !node.store.has_space(&scope).await? {
        let space = &options.space;
        return Err(BadInput(format!("the space {space} has no records here")).into());
    }
    let place = Destination::of(&options.to, call).await?;
    let to = std::path::absolute(place.dir())?;
    check_free(&to)?;
    // Only what is whole has the name.
    let part = to.with_extension("part");
    check_free(&part)?;
    let mut files = Files {
        dir: part.clone(),
        format: options.format,
        open: None,
        rows: BTreeMap::new(),
    };
    let done = async {
        make(&part)?;
        node.store.views(&scope, &mut files).await?;
        files.close()?;
        if to.exists() {
            std::fs::remove_dir(&to)?;
        }
        std::fs::rename(&part, &to).with_context(|| format!("creating {}", to.display()))
    };
    if let Err(error) = done.await {
        std::fs::remove_dir_all(&part).unwrap_or_default();
        return Err(error);
    }
    place.send(None).await?;
    let written = TableExport {
        space: options.space.clone(),
        to: place.shown(),
        tables: files.rows,
    };
    if call.json {
        call.out.json(&written)?;
        return Ok(0);
    }
    for (table, rows) in &written.tables {
        call.out
            .print(format_args!("{table:<20} {}", counted(*rows, "row")));
    }
    call.out.print(format_args!(
        "the tables of the space {} are in {}, with names and texts of people",
        written.space, written.to
    ));
    Ok(0)
}

fn make(dir: &Path) -> anyhow::Result<()> {
    let made = std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir);
    made.with_context(|| format!("creating {}", dir.display()))
}

/// A file for each table, one after the other.
struct Files {
    dir: PathBuf,
    format: TableFormat,
    open: Option<Table>,
    rows: BTreeMap<String, u64>,
}

/// A table that is being written.
struct Table {
    name: String,
    rows: u64,
    file: TableFile,
}

enum TableFile {
    Csv(csv::Writer<File>, Vec<ViewKind>),
    Parquet(ParquetFile),
}

impl Files {
    fn close(&mut self) -> anyhow::Result<()> {
        let Some(Table { name, rows, file }) = self.open.take() else {
            return Ok(());
        };
        match file {
            TableFile::Csv(mut writer, _) => writer.flush()?,
            TableFile::Parquet(file) => file.close()?,
        }
        self.rows.insert(name, rows);
        Ok(())
    }
}

impl ViewSink for Files {
    type Error = anyhow::Error;

    fn begin(&mut self, view: &str, columns: &[ViewColumn]) -> anyhow::Result<()> {
        self.close()?;
        let ending = match self.format {
            TableFormat::Parquet => "parquet",
            TableFormat::Csv => "csv",
        };
        let path = self.dir.join(format!("{view}.{ending}"));
        let file = File::create_new(&path);
        let file = file.with_context(|| format!("creating {}", path.display()))?;
        let file = match self.format {
            TableFormat::Parquet => TableFile::Parquet(ParquetFile::begin(file, columns)?),
            TableFormat::Csv => {
                let mut writer = csv::Writer::from_writer(file);
                writer.write_record(columns.iter().map(|column| &column.name))?;
                TableFile::Csv(writer, columns.iter().map(|column| column.kind).collect())
            }
        };
        self.open = Some(Table {
            name: view.to_owned(),
            rows: 0,
            file,
        });
        Ok(())
    }

    fn row(&mut self, values: &[Value<'_>]) -> anyhow::Result<()> {
        let table = self.open.as_mut().context("a row before its table")?;
        table.rows += 1;
        match &mut table.file {
            TableFile::Csv(writer, kinds) => {
                let cells = values
                    .iter()
                    .zip(kinds)
                    .map(|(value, kind)| text(value, *kind));
                writer.write_record(cells.collect::<anyhow::Result<Vec<String>>>()?)?;
            }
            TableFile::Parquet(file) => file.row(values)?,
        }
        Ok(())
    }
}

/// A value in a file of text; nothing is an empty field.
fn text(value: &Value<'_>, kind: ViewKind) -> anyhow::Result<String> {
    Ok(match value {
        Value::Null => String::new(),
        Value::Bool(value) => value.to_string(),
        Value::Int(days) if kind == ViewKind::Day => day(*days)?.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Text(value) => no_formula(value),
        Value::Uuid(value) => value.to_string(),
        Value::Time(ms) => Timestamp::from_millisecond(*ms)?.to_string(),
        Value::Uuids(values) => serde_json::to_string(values)?,
        Value::Texts(values) => serde_json::to_string(values)?,
        Value::Bytes(_) => anyhow::bail!("bytes are in no table of analysts"),
    })
}

fn day(from_1970: i64) -> anyhow::Result<Date> {
    let first = jiff::civil::date(1970, 1, 1);
    Ok(first.checked_add(jiff::Span::new().try_days(from_1970)?)?)
}

/// What somebody wrote in a chat stays a text when a spreadsheet opens it.
fn no_formula(text: &str) -> String {
    match text.starts_with(FORMULA) {
        true => format!("'{text}"),
        false => text.to_owned(),
    }
}

/// A file of Parquet.
struct ParquetFile {
    writer: ArrowWriter<BufWriter<File>>,
    schema: SchemaRef,
    columns: Vec<Builder>,
    rows: usize,
}

impl ParquetFile {
    fn begin(file: File, columns: &[ViewColumn]) -> anyhow::Result<Self> {
        let fields = columns
            .iter()
            .map(|column| Field::new(&column.name, data_type(column.kind), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .build();
        let file = BufWriter::new(file);
        Ok(Self {
            writer: ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties))?,
            schema,
            columns: columns
                .iter()
                .map(|column| Builder::of(column.kind))
                .collect(),
            rows: 0,
        })
    }

    fn row(&mut self, values: &[Value<'_>]) -> anyhow::Result<()> {
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.append(value)?;
        }
        self.rows += 1;
        if self.rows == BATCH {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        let columns = self.columns.iter_mut().map(Builder::finish).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)?;
        self.writer.write(&batch)?;
        self.rows = 0;
        Ok(())
    }

    fn close(mut self) -> anyhow::Result<()> {
        self.flush()?;
        self.writer.close()?;
        Ok(())
    }
}

fn data_type(kind: ViewKind) -> DataType {
    match kind {
        ViewKind::Day => DataType::Date32,
        ViewKind::Of(Kind::Bool) => DataType::Boolean,
        ViewKind::Of(Kind::Int) => DataType::Int64,
        ViewKind::Of(Kind::Time) => DataType::Timestamp(TimeUnit::Millisecond, Some(UTC.into())),
        ViewKind::Of(Kind::Uuids | Kind::Texts) => {
            DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true)))
        }
        ViewKind::Of(Kind::Text | Kind::Uuid | Kind::Bytes) => DataType::Utf8,
    }
}

/// The values of a column that are not written yet.
enum Builder {
    Bool(BooleanBuilder),
    Int(Int64Builder),
    Day(Date32Builder),
    Time(TimestampMillisecondBuilder),
    Text(StringBuilder),
    Texts(ListBuilder<StringBuilder>),
}

impl Builder {
    fn of(kind: ViewKind) -> Self {
        match kind {
            ViewKind::Day => Self::Day(Date32Builder::new()),
            ViewKind::Of(Kind::Bool) => Self::Bool(BooleanBuilder::new()),
            ViewKind::Of(Kind::Int) => Self::Int(Int64Builder::new()),
            ViewKind::Of(Kind::Time) => {
                Self::Time(TimestampMillisecondBuilder::new().with_timezone(UTC))
            }
            ViewKind::Of(Kind::Uuids | Kind::Texts) => {
                Self::Texts(ListBuilder::new(StringBuilder::new()))
            }
            ViewKind::Of(Kind::Text | Kind::Uuid | Kind::Bytes) => Self::Text(StringBuilder::new()),
        }
    }

    fn append(&mut self, value: &Value<'_>) -> anyhow::Result<()> {
        match (self, value) {
            (Self::Bool(column), Value::Bool(value)) => column.append_value(*value),
            (Self::Int(column), Value::Int(value)) => column.append_value(*value),
            (Self::Day(column), Value::Int(days)) => column.append_value(i32::try_from(*days)?),
            (Self::Time(column), Value::Time(ms)) => column.append_value(*ms),
            (Self::Text(column), Value::Text(value)) => column.append_value(value),
            (Self::Text(column), Value::Uuid(value)) => column.append_value(value.to_string()),
            (Self::Texts(column), Value::Texts(values)) => {
                column.append_value(values.iter().map(|one| Some(one.as_ref())));
            }
            (Self::Texts(column), Value::Uuids(values)) => {
                column.append_value(values.iter().map(|one| Some(one.to_string())));
            }
            (Self::Bool(column), Value::Null) => column.append_null(),
            (Self::Int(column), Value::Null) => column.append_null(),
            (Self::Day(column), Value::Null) => column.append_null(),
            (Self::Time(column), Value::Null) => column.append_null(),
            (Self::Text(column), Value::Null) => column.append_null(),
            (Self::Texts(column), Value::Null) => column.append_null(),
            (_, other) => anyhow::bail!("{other:?} is of another kind than its column"),
        }
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Bool(column) => Arc::new(column.finish()),
            Self::Int(column) => Arc::new(column.finish()),
            Self::Day(column) => Arc::new(column.finish()),
            Self::Time(column) => Arc::new(column.finish()),
            Self::Text(column) => Arc::new(column.finish()),
            Self::Texts(column) => Arc::new(column.finish()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_a_chat_is_no_formula() {
        for (value, kind, expect) in [
            (
                Value::Text("=HYPERLINK(\"https://x.org\")"),
                Kind::Text,
                "'=HYPERLINK(\"https://x.org\")",
            ),
            (Value::Text("- item"), Kind::Text, "'- item"),
            (Value::Text("hello"), Kind::Text, "hello"),
            (Value::Int(-5), Kind::Int, "-5"),
            (
                Value::Time(1_714_557_600_500),
                Kind::Time,
                "2024-05-01T10:00:00.5Z",
            ),
            (
                Value::Texts(vec!["a".into(), "b\"".into()]),
                Kind::Texts,
                "[\"a\",\"b\\\"\"]",
            ),
            (Value::Null, Kind::Text, ""),
        ] {
            assert_eq!(text(&value, ViewKind::Of(kind)).expect("a text"), expect);
        }
        assert_eq!(
            text(&Value::Int(19_844), ViewKind::Day).expect("a day"),
            "2024-05-01"
        );
    }
}
