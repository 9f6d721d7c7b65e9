CREATE TABLE {schema}.cases (
    space         text COLLATE "C" NOT NULL,
    case_id       uuid             NOT NULL,
    channel       text COLLATE "C" NOT NULL,
    version       bigint           NOT NULL,
    worded_in     bigint           NOT NULL,
    title         text,
    problem       text,
    solution      text,
    tags          text[]           NOT NULL,
    signal        text             CHECK (signal IN ('admin', 'reaction', 'thanks', 'thread_end')),
    closing_emoji text,
    engine        text             NOT NULL,
    opened_at     timestamptz      NOT NULL,
    solved_at     timestamptz,
    archived_at   timestamptz,
    changed_at    timestamptz      NOT NULL,
    erased_at     timestamptz,
    merged_into   uuid,
    suggestion    text,
    -- An index, not a projected column: derived from the row alone, outside digests.
    words         tsvector         GENERATED ALWAYS AS (lore.words(title, problem, coalesce(solution, suggestion), tags)) STORED,
    PRIMARY KEY (space, case_id)
);

CREATE TABLE {schema}.case_evidence (
    space    text COLLATE "C" NOT NULL,
    case_id  uuid             NOT NULL,
    position bigint           NOT NULL,
    message  uuid             NOT NULL,
    part     text             NOT NULL CHECK (part IN ('problem', 'solution', 'suggestion', 'context')),
    revision bigint           NOT NULL DEFAULT 0,
    PRIMARY KEY (space, case_id, position)
);

CREATE TABLE {schema}.case_confirmations (
    space   text COLLATE "C" NOT NULL,
    case_id uuid             NOT NULL,
    message uuid             NOT NULL,
    person  uuid             NOT NULL,
    emoji   text COLLATE "C" NOT NULL,
    PRIMARY KEY (space, case_id, message, person, emoji)
);

-- Cases whose points in the index are not as their rows. Written with every change
-- of a row and taken away by the indexer; not projected, so no part of digests.
CREATE TABLE {schema}.unindexed (
    space   text COLLATE "C" NOT NULL,
    case_id uuid             NOT NULL,
    mark    bigint           NOT NULL DEFAULT nextval('lore_state.marks_given'),
    PRIMARY KEY (space, case_id)
);

-- Indexes, made once a build is filled, or with its tables where it is the first.
CREATE INDEX IF NOT EXISTS cases_words_idx ON {schema}.cases USING gin (words);
CREATE INDEX IF NOT EXISTS cases_space_opened_at_case_id_idx
    ON {schema}.cases (space, opened_at, case_id);
CREATE INDEX IF NOT EXISTS cases_space_solved_at_idx
    ON {schema}.cases (space, solved_at) WHERE solved_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS cases_space_channel_changed_at_idx
    ON {schema}.cases (space, channel, changed_at);
CREATE INDEX IF NOT EXISTS cases_space_merged_into_idx
    ON {schema}.cases (space, merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX IF NOT EXISTS case_evidence_space_message_idx
    ON {schema}.case_evidence (space, message);
