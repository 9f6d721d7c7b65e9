CREATE TABLE {schema}.memories (
    space          text COLLATE "C" NOT NULL,
    memory         uuid             NOT NULL,
    home           text             NOT NULL,
    channel        text COLLATE "C" NOT NULL,
    person         uuid             NOT NULL,
    message        uuid,
    text           text,
    said_at        timestamptz      NOT NULL,
    archived_at    timestamptz,
    archive_reason text,
    archived_by    uuid,
    erased_at      timestamptz,
    PRIMARY KEY (space, memory)
);

-- Indexes, made once a build is filled, or with its tables where it is the first.
CREATE INDEX IF NOT EXISTS memories_space_person_idx
    ON {schema}.memories (space, person);
CREATE INDEX IF NOT EXISTS memories_space_home_said_at_idx
    ON {schema}.memories (space, home, said_at);
