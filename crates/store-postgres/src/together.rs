//! Several statements on rows of one shard as one, so that all of them take one round trip.

use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{Arguments as _, Encode, PgExecutor, Postgres, Type};
use threadlore_ports::Shard;

/// What every part has to ask for, in its WHERE: that the shard is ours.
pub(crate) const IS_OURS: &str = "EXISTS (SELECT FROM owned)";

/// Statements that are run as one. In each of them `$1` and `$2` are the shard; parameters of its
/// own follow from `$3` on. The first one is called `owned` and returns a row where the epoch is
/// ours; all others do something only where [`IS_OURS`].
///
/// All of them see the tables as they were before: none may touch a row that another one touches.
/// What one of them returns others read by its name.
pub(crate) struct Together {
    sql: String,
    arguments: PgArguments,
    /// Parameters of the parts so far, but for the shard's.
    bound: usize,
    failed: Option<BoxDynError>,
}

impl Together {
    /// `owned` returns a row where the epoch, which is its `$3`, is ours.
    pub(crate) fn new(shard: &Shard, epoch: i64, owned: &str) -> Self {
        let mut new = Self {
            sql: format!("WITH owned AS ({owned})"),
            arguments: PgArguments::default(),
            bound: 0,
            failed: None,
        };
        new.add(shard.group.as_str());
        new.add(shard.partition.0);
        new.bind(epoch);
        new
    }

    /// Adds a statement; its parameters are bound next.
    pub(crate) fn part(&mut self, name: &str, statement: &str) -> &mut Self {
        let statement = renumbered(statement, self.bound);
        self.sql.push_str(&format!(", {name} AS ({statement})"));
        self
    }

    /// Binds the next parameter of the last statement.
    pub(crate) fn bind<'q, T>(&mut self, value: T) -> &mut Self
    where
        T: Encode<'q, Postgres> + Type<Postgres> + 'q,
    {
        self.add(value);
        self.bound += 1;
        self
    }

    fn add<'q, T>(&mut self, value: T)
    where
        T: Encode<'q, Postgres> + Type<Postgres> + 'q,
    {
        if let Err(error) = self.arguments.add(value) {
            self.failed.get_or_insert(error);
        }
    }

    /// Runs all of them; the rows of a last select, which is not renumbered.
    pub(crate) async fn select(
        self,
        select: &str,
        on: impl PgExecutor<'_>,
    ) -> Result<Vec<PgRow>, sqlx::Error> {
        if let Some(error) = self.failed {
            return Err(sqlx::Error::Encode(error));
        }
        let sql = format!("{} {select}", self.sql);
        let query: Query<'_, Postgres, PgArguments> = sqlx::query_with(&sql, self.arguments);
        query.fetch_all(on).await
    }
}

/// The statement with its parameters from `$3` on moved by so many.
fn renumbered(statement: &str, by: usize) -> String {
    let mut parts = statement.split('$');
    let mut renumbered = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = part.split_at(digits);
        let number = match number.parse::<usize>() {
            Ok(number) if number > 2 => (number + by).to_string(),
            _ => number.to_owned(),
        };
        renumbered.push_str(&format!("${number}{rest}"));
    }
    renumbered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_a_part_follow_those_before_it() {
        let statement = "SELECT $1, $2, $3::text[], $12 + 1";
        assert_eq!(
            renumbered(statement, 4),
            "SELECT $1, $2, $7::text[], $16 + 1"
        );
        assert_eq!(renumbered("SELECT 1", 4), "SELECT 1");
    }
}
