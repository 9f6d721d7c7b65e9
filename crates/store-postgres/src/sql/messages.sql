CREATE TABLE {schema}.messages (
    space       text COLLATE "C" NOT NULL,
    message     uuid             NOT NULL,
    channel     text COLLATE "C" NOT NULL,
    person      uuid,
    native_id   text,
    name        text,
    text        text,
    bot         boolean          NOT NULL,
    reply_to    uuid,
    thread      uuid,
    mentions    uuid[]           NOT NULL,
    sent_at     timestamptz,
    revision    bigint           NOT NULL,
    edited_at   timestamptz,
    redacted_at timestamptz,
    PRIMARY KEY (space, message)
);

CREATE TABLE {schema}.reactions (
    space   text COLLATE "C" NOT NULL,
    message uuid             NOT NULL,
    person  uuid             NOT NULL,
    emoji   text COLLATE "C" NOT NULL,
    channel text COLLATE "C" NOT NULL,
    at      timestamptz      NOT NULL,
    PRIMARY KEY (space, message, person, emoji)
);

-- Indexes, made once a build is filled, or with its tables where it is the first.
CREATE INDEX IF NOT EXISTS messages_space_channel_sent_at_idx
    ON {schema}.messages (space, channel, sent_at);
CREATE INDEX IF NOT EXISTS messages_space_message_redacted_idx
    ON {schema}.messages (space, message) WHERE redacted_at IS NOT NULL;
