-- What processors keep: changed only in transactions that hold the shard's row
-- and found their own epoch in it.
CREATE SCHEMA lore_state;

CREATE TABLE lore_state.shards (
    consumer_group text    NOT NULL,
    partition      integer NOT NULL,
    epoch          bigint  NOT NULL,
    sequence       bigint  NOT NULL DEFAULT 0,
    recovered      boolean NOT NULL DEFAULT false,
    -- Topic to next offset.
    positions      jsonb   NOT NULL DEFAULT '{}',
    -- Up to where the shard had decided when a restore had it forget what it knew.
    decided        jsonb   NOT NULL DEFAULT '{}',
    PRIMARY KEY (consumer_group, partition)
) WITH (fillfactor = 50);

-- Highest sequence folded, per input topic and producer.
CREATE TABLE lore_state.marks (
    consumer_group     text    NOT NULL,
    partition          integer NOT NULL,
    topic              text    NOT NULL,
    producer           text    NOT NULL,
    producer_partition integer NOT NULL,
    sequence           bigint  NOT NULL,
    PRIMARY KEY (consumer_group, partition, topic, producer, producer_partition)
) WITH (fillfactor = 50);

CREATE TABLE lore_state.states (
    consumer_group text    NOT NULL,
    partition      integer NOT NULL,
    key            text    NOT NULL,
    body           bytea   NOT NULL,
    -- Milliseconds since the Unix epoch, by the wall clock.
    wake           bigint,
    -- Rows of `part_changes` after row 0, their bytes, and the bytes of row 0.
    changes        integer NOT NULL DEFAULT 0,
    changed_bytes  bigint  NOT NULL DEFAULT 0,
    whole_bytes    bigint  NOT NULL DEFAULT 0,
    PRIMARY KEY (consumer_group, partition, key)
);

-- What one commit changed of the parts of one key's state. Row 0 holds all parts of some moment,
-- the others what changed since then.
CREATE TABLE lore_state.part_changes (
    consumer_group text    NOT NULL,
    partition      integer NOT NULL,
    key            text    NOT NULL,
    number         integer NOT NULL,
    body           bytea   NOT NULL,
    PRIMARY KEY (consumer_group, partition, key, number)
);

CREATE TABLE lore_state.accepted (
    consumer_group text    NOT NULL,
    partition      integer NOT NULL,
    event          uuid    NOT NULL,
    PRIMARY KEY (consumer_group, partition, event)
);

-- Events of one commit on their way to the log: those up to `sequence`, of which those before
-- `first` are in the log already. One row for all: a row and an entry in an index for each event
-- cost more than what they hold.
CREATE TABLE lore_state.outbox (
    consumer_group text    NOT NULL,
    partition      integer NOT NULL,
    sequence       bigint  NOT NULL,
    first          bigint  NOT NULL,
    records        bytea   NOT NULL,
    PRIMARY KEY (consumer_group, partition, sequence)
);

-- Slow calls that are asked for and not yet answered. What follows from a call is in the trace of
-- what asked for it.
CREATE TABLE lore_state.effects (
    consumer_group text    NOT NULL,
    partition      integer NOT NULL,
    id             bigint  NOT NULL,
    key            text    NOT NULL,
    -- CBOR.
    cause          bytea   NOT NULL,
    call           bytea   NOT NULL,
    traceparent    text,
    PRIMARY KEY (consumer_group, partition, id)
);

-- States, changes of their parts, records and calls are rewritten with every batch and read back
-- rarely: compressing them each time costs more than writing them whole.
ALTER TABLE lore_state.states ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE lore_state.part_changes ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE lore_state.outbox ALTER COLUMN records SET STORAGE EXTERNAL;
ALTER TABLE lore_state.effects ALTER COLUMN call SET STORAGE EXTERNAL;

-- The space that is being restored: one row at most. While it is there no shard has an
-- owner, so nothing works on a log that holds a part of a space.
CREATE TABLE lore_state.restores (
    one      boolean PRIMARY KEY DEFAULT true CHECK (one),
    space    text    NOT NULL,
    -- Of what is restored.
    digest   text    NOT NULL,
    -- Whether records may have been appended already.
    begun    boolean NOT NULL DEFAULT false
);

-- Replays that are under way, one per projection at most. The positions of what is built are
-- the checkpoint, those of its shards.
CREATE TABLE lore_state.replays (
    projection text    PRIMARY KEY,
    number     integer NOT NULL,
    -- Offsets before which it ends, by partition; of one that goes up to a time, or else null.
    ends       jsonb,
    -- Whether somebody asked it to pause.
    paused     boolean NOT NULL DEFAULT false
);

-- Builds of cases number the marks of what the indexer still has to take from them.
CREATE SEQUENCE lore_state.marks_given;

-- The role that readers act as. Roles belong to the whole server, so another
-- database may have made it, even at this moment.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'lore_reader') THEN
        BEGIN
            CREATE ROLE lore_reader NOLOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
    END IF;
    BEGIN
        SET LOCAL ROLE lore_reader;
        RESET ROLE;
    EXCEPTION WHEN insufficient_privilege THEN
        EXECUTE format('GRANT lore_reader TO %I', current_user);
    END;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'user % may neither make nor use the role lore_reader', current_user
        USING HINT = 'as a superuser: CREATE ROLE lore_reader; GRANT lore_reader TO that user';
END
$$;

CREATE SCHEMA lore;
GRANT USAGE ON SCHEMA lore TO lore_reader;

-- One row per projection, which the start of a process adds. `generation` is the pointer to the
-- live build; `last` is the highest number given out, so that none is given twice.
CREATE TABLE lore.live (
    projection text    PRIMARY KEY,
    generation integer,
    last       integer NOT NULL DEFAULT 0
);

CREATE TABLE lore.generations (
    projection text        NOT NULL REFERENCES lore.live,
    number     integer     NOT NULL,
    -- Whether a build is fed. A replay holds back what it makes and what it compares, in
    -- whichever process the feeders are; whoever holds the projection's advisory lock sees to what
    -- a replay left that was cut off.
    fed        boolean     NOT NULL DEFAULT true,
    -- The time up to which a build was folded that never goes live; null for all others.
    until      timestamptz,
    -- The decision run that a build of cases shows (`threadlore redecide`); builds of other
    -- projections are of none.
    run        integer     NOT NULL DEFAULT 1,
    PRIMARY KEY (projection, number)
);
ALTER TABLE lore.live
    ADD FOREIGN KEY (projection, generation) REFERENCES lore.generations (projection, number);
GRANT SELECT ON lore.live, lore.generations TO lore_reader;

-- Words of a case for full-text search. A case longer than the bound is found
-- by its first part: a tsvector holds at most 1 MiB.
CREATE FUNCTION lore.words(title text, problem text, solution text, tags text[])
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_tsvector(
    'pg_catalog.english'::regconfig,
    left(concat_ws(' ', title, array_to_string(tags, ' '), problem, solution), 50000)
);
GRANT EXECUTE ON FUNCTION lore.words TO lore_reader;
