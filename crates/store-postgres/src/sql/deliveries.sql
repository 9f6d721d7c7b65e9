CREATE TABLE {schema}.deliveries (
    space      text COLLATE "C" NOT NULL,
    answer     uuid             NOT NULL,
    action     text             NOT NULL,
    channel    text COLLATE "C" NOT NULL,
    gateway    text             NOT NULL,
    result     text,
    reason     text,
    native_ids text[]           NOT NULL,
    begun_at   timestamptz,
    ended_at   timestamptz,
    PRIMARY KEY (space, answer, action)
);

-- Indexes, made once a build is filled, or with its tables where it is the first.
CREATE INDEX IF NOT EXISTS deliveries_space_channel_ended_at_idx
    ON {schema}.deliveries (space, channel, ended_at);
