-- Parts of a state that are stored by themselves: a channel knows hundreds of
-- cases, and a batch changes a few of them.
CREATE TABLE lore_state.parts (
    consumer_group text    NOT NULL,
    partition      integer NOT NULL,
    key            text    NOT NULL,
    name           text    NOT NULL,
    body           bytea   NOT NULL,
    PRIMARY KEY (consumer_group, partition, key, name)
);
ALTER TABLE lore_state.parts ALTER COLUMN body SET STORAGE EXTERNAL;
