"""What an analyst does with the files of `threadlore export --tables`: the same questions by DuckDB and by
pandas, with the types that each has. Prints a JSON line with what they say.

    analyst.py PARQUET_DIR CSV_DIR
"""

import json
import sys
from pathlib import Path

import duckdb
import pandas as pd

parquet, csv = map(Path, sys.argv[1:])
tables = sorted(path.stem for path in parquet.glob("*.parquet"))

# DuckDB: SQL on the files as they are.
database = duckdb.connect()
for table in tables:
    database.execute(f"CREATE VIEW {table} AS SELECT * FROM '{parquet / table}.parquet'")
types = {
    f"{table}.{name}": kind
    for table in tables
    for name, kind, *_ in database.execute(f"DESCRIBE {table}").fetchall()
}
by_duckdb = {
    "messages": database.execute("SELECT count(*) FROM messages").fetchone()[0],
    "statuses": dict(
        database.execute("SELECT status, count(*) FROM cases GROUP BY status").fetchall()
    ),
    "weeks": database.execute(
        "SELECT starts::text, messages, messages_before FROM weekly ORDER BY starts"
    ).fetchall(),
    "solvers": database.execute(
        "SELECT m.name, count(DISTINCT e.case_id) FROM case_evidence e"
        " JOIN cases c USING (space, case_id) JOIN messages m USING (space, message)"
        " WHERE e.part = 'solution' AND c.status = 'solved' GROUP BY m.name ORDER BY 2 DESC, 1"
    ).fetchall(),
}

# pandas: the same.
frames = {table: pd.read_parquet(parquet / f"{table}.parquet") for table in tables}
cases, messages, weekly = frames["cases"], frames["messages"], frames["weekly"]
lines = frames["case_evidence"].query("part == 'solution'")
lines = lines.merge(cases.query("status == 'solved'")[["space", "case_id"]])
lines = lines.merge(messages[["space", "message", "name"]])
solvers = lines.groupby("name")["case_id"].nunique().reset_index()
solvers = solvers.sort_values(["case_id", "name"], ascending=[False, True])
by_pandas = {
    "messages": len(messages),
    "statuses": cases["status"].value_counts().to_dict(),
    "weeks": [
        [str(one.starts)[:10], one.messages, one.messages_before]
        for one in weekly.sort_values("starts").itertuples()
    ],
    "solvers": solvers.values.tolist(),
}
assert str(messages["sent_at"].dt.tz) == "UTC", messages.dtypes
assert isinstance(cases["tags"].iloc[0].tolist(), list), cases.dtypes

# CSV: as many rows, and the same texts but for the sign before what a spreadsheet would run.
for table in tables:
    read = pd.read_csv(csv / f"{table}.csv", dtype=str, keep_default_na=False)
    assert len(read) == len(frames[table]), table
    assert list(read.columns) == list(frames[table].columns), table
texts = pd.read_csv(csv / "messages.csv", dtype=str, keep_default_na=False)["text"]
harmless = messages["text"].str.replace(r"^(?=[=+\-@\t\r])", "'", regex=True)
assert texts.tolist() == harmless.tolist()

same = json.dumps(by_duckdb, sort_keys=True) == json.dumps(by_pandas, sort_keys=True, default=int)
print(json.dumps({"same": same, "types": types, **by_duckdb}))
