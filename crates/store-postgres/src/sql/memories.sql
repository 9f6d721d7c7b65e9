CREATE TABLE {schema}.memories (
    space          text COLLATE "C" NOT NULL,
    memory         uuid             NOT NULL,
    tier           text             NOT NULL,
    home           text,
    channel        text COLLATE "C" NOT NULL,
    person         uuid,
    message        uuid,
    text           text,
    always         boolean          NOT NULL,
    case_id        uuid,
    case_version   bigint,
    score          bigint,
    worked         bigint           NOT NULL,
    failed         bigint           NOT NULL,
    partial        bigint           NOT NULL,
    said_at        timestamptz      NOT NULL,
    used_at        timestamptz,
    told_until     timestamptz,
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
CREATE INDEX IF NOT EXISTS memories_space_tier_score_idx
    ON {schema}.memories (space, tier, score);
-- Exchanges whose questions a search reads: few of many.
CREATE INDEX IF NOT EXISTS memories_space_memory_idx
    ON {schema}.memories (space, memory)
    WHERE case_id IS NOT NULL AND (archived_at IS NULL OR archive_reason = 'failed');
