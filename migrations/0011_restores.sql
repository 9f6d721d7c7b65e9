-- The space that is being restored: one row at most. While it is there no shard has an
-- owner, so nothing works on a log that holds a part of a space.
CREATE TABLE lore_state.restores (
    one      boolean PRIMARY KEY DEFAULT true CHECK (one),
    space    text    NOT NULL,
    -- Of what is restored.
    digest   text    NOT NULL,
    -- Whether records may have been appended already.
    begun    boolean NOT NULL DEFAULT false
);

-- Up to where a shard had decided when a restore had it forget what it knew.
ALTER TABLE lore_state.shards ADD COLUMN decided jsonb NOT NULL DEFAULT '{}';
