CREATE TABLE {schema}.vectors (
    space       text COLLATE "C" NOT NULL,
    case_id     uuid             NOT NULL,
    model       text COLLATE "C" NOT NULL,
    source      bytea            NOT NULL,
    vector      bytea            NOT NULL,
    computed_at timestamptz      NOT NULL,
    PRIMARY KEY (space, case_id, model, source)
);
-- Vectors do not compress.
ALTER TABLE {schema}.vectors ALTER COLUMN vector SET STORAGE EXTERNAL;
