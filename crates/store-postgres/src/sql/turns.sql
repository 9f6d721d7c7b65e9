CREATE TABLE {schema}.turns (
    space           text COLLATE "C" NOT NULL,
    turn            uuid             NOT NULL,
    channel         text COLLATE "C" NOT NULL,
    person          uuid             NOT NULL,
    messages        uuid[]           NOT NULL,
    outcome         text             NOT NULL,
    tag             text,
    context         uuid[]           NOT NULL,
    context_reasons text[]           NOT NULL,
    considered_at   timestamptz      NOT NULL,
    answer          uuid,
    reply_to        uuid,
    composer        text,
    memory          uuid,
    asks_again      uuid,
    model_tokens    bigint           NOT NULL,
    PRIMARY KEY (space, turn)
);

CREATE TABLE {schema}.turn_citations (
    space    text COLLATE "C" NOT NULL,
    turn     uuid             NOT NULL,
    position bigint           NOT NULL,
    case_id  uuid             NOT NULL,
    close    bigint           NOT NULL,
    evidence uuid[]           NOT NULL,
    PRIMARY KEY (space, turn, position)
);

CREATE TABLE {schema}.turn_ratings (
    space    text COLLATE "C" NOT NULL,
    turn     uuid             NOT NULL,
    person   uuid             NOT NULL,
    rating   text             NOT NULL,
    message  uuid,
    rated_at timestamptz      NOT NULL,
    PRIMARY KEY (space, turn, person)
);

-- Indexes, made once a build is filled, or with its tables where it is the first.
CREATE INDEX IF NOT EXISTS turns_space_channel_considered_at_idx
    ON {schema}.turns (space, channel, considered_at);
CREATE INDEX IF NOT EXISTS turns_space_memory_idx
    ON {schema}.turns (space, memory) WHERE memory IS NOT NULL;
CREATE INDEX IF NOT EXISTS turn_citations_space_case_id_idx
    ON {schema}.turn_citations (space, case_id);
