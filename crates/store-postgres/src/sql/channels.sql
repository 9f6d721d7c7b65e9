CREATE TABLE {schema}.channels (
    space         text COLLATE "C" NOT NULL,
    channel       text COLLATE "C" NOT NULL,
    admins        uuid[]           NOT NULL,
    audience      text             NOT NULL,
    mode          text             NOT NULL,
    docs          text[]           NOT NULL,
    published     boolean          NOT NULL,
    configured_at timestamptz      NOT NULL,
    configured_by text,
    PRIMARY KEY (space, channel)
);
