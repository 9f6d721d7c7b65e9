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
    PRIMARY KEY (consumer_group, partition, key)
);

CREATE TABLE lore_state.accepted (
    consumer_group text    NOT NULL,
    partition      integer NOT NULL,
    event          uuid    NOT NULL,
    PRIMARY KEY (consumer_group, partition, event)
);

CREATE TABLE lore_state.outbox (
    consumer_group text    NOT NULL,
    partition      integer NOT NULL,
    sequence       bigint  NOT NULL,
    topic          text    NOT NULL,
    ends_decision  boolean NOT NULL,
    -- CBOR, private fields sealed.
    event          bytea   NOT NULL,
    PRIMARY KEY (consumer_group, partition, sequence)
);

CREATE TABLE lore_state.effects (
    consumer_group text    NOT NULL,
    partition      integer NOT NULL,
    id             bigint  NOT NULL,
    key            text    NOT NULL,
    -- CBOR.
    cause          bytea   NOT NULL,
    request        bytea   NOT NULL,
    PRIMARY KEY (consumer_group, partition, id)
);
