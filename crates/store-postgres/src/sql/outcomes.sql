CREATE TABLE {schema}.outcomes (
    space        text COLLATE "C" NOT NULL,
    answer       uuid             NOT NULL,
    channel      text COLLATE "C" NOT NULL,
    turn         uuid             NOT NULL,
    case_id      uuid             NOT NULL,
    case_version bigint           NOT NULL,
    memory       uuid             NOT NULL,
    outcome      text             NOT NULL,
    source       text             NOT NULL,
    helped       bigint           NOT NULL,
    failed       bigint           NOT NULL,
    evidence     uuid[]           NOT NULL,
    given_at     timestamptz      NOT NULL,
    recorded_at  timestamptz      NOT NULL,
    PRIMARY KEY (space, answer)
);

-- Indexes, made once a build is filled, or with its tables where it is the first.
CREATE INDEX IF NOT EXISTS outcomes_space_case_id_idx
    ON {schema}.outcomes (space, case_id);
CREATE INDEX IF NOT EXISTS outcomes_space_channel_recorded_at_idx
    ON {schema}.outcomes (space, channel, recorded_at);
CREATE INDEX IF NOT EXISTS outcomes_space_recorded_at_idx
    ON {schema}.outcomes (space, recorded_at);
CREATE INDEX IF NOT EXISTS outcomes_space_memory_idx
    ON {schema}.outcomes (space, memory);
