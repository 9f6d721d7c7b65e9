-- What one commit adds is one row, compressed: a row and an entry in an index for each event and
-- for each part cost more than what they hold.

-- Events of one commit on their way to the log: those up to `sequence`, of which those before
-- `first` are in the log already. Rows that the version before left have one event each, in
-- `event` or `record`.
ALTER TABLE lore_state.outbox ALTER COLUMN topic DROP NOT NULL;
ALTER TABLE lore_state.outbox ALTER COLUMN ends_decision DROP NOT NULL;
ALTER TABLE lore_state.outbox ADD COLUMN first bigint;
ALTER TABLE lore_state.outbox ADD COLUMN records bytea;
ALTER TABLE lore_state.outbox ALTER COLUMN records SET STORAGE EXTERNAL;
ALTER TABLE lore_state.outbox DROP CONSTRAINT outbox_has_one_body;
ALTER TABLE lore_state.outbox
    ADD CONSTRAINT outbox_has_one_body CHECK (num_nonnulls(event, record, records) = 1);

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
ALTER TABLE lore_state.part_changes ALTER COLUMN body SET STORAGE EXTERNAL;
-- How many rows of changes there are, their bytes, and the bytes of row 0.
ALTER TABLE lore_state.states ADD COLUMN changes integer NOT NULL DEFAULT 0;
ALTER TABLE lore_state.states ADD COLUMN changed_bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE lore_state.states ADD COLUMN whole_bytes bigint NOT NULL DEFAULT 0;

-- Roles whose states have parts rebuild them from the log. What was decided and not published is
-- decided again.
DROP TABLE lore_state.parts;
DELETE FROM lore_state.states WHERE split_part(consumer_group, '.', 1) IN ('extractor', 'embedder');
DELETE FROM lore_state.effects WHERE split_part(consumer_group, '.', 1) IN ('extractor', 'embedder');
DELETE FROM lore_state.outbox WHERE split_part(consumer_group, '.', 1) IN ('extractor', 'embedder');
DELETE FROM lore_state.marks WHERE split_part(consumer_group, '.', 1) IN ('extractor', 'embedder');
UPDATE lore_state.shards SET positions = '{}', decided = '{}', recovered = false
    WHERE split_part(consumer_group, '.', 1) IN ('extractor', 'embedder');
