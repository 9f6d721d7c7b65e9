-- Rows of new builds are copied in, which PostgreSQL refuses an owner that is held to row
-- security itself. The owner saw every row before as well; readers still see one space.
DO $$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT n.nspname AS schema, c.relname AS name
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN lore.generations g ON n.nspname = g.projection || '_g' || g.number
        WHERE c.relforcerowsecurity
    LOOP
        EXECUTE format('ALTER TABLE %I.%I NO FORCE ROW LEVEL SECURITY', t.schema, t.name);
    END LOOP;
END
$$;

-- Replays that are under way, one per projection at most. The positions of what is built are
-- the checkpoint, those of its shards.
CREATE TABLE lore_state.replays (
    projection text    PRIMARY KEY,
    number     integer NOT NULL,
    -- Offsets before which it ends, by partition; of one that goes up to a time, or else null.
    ends       jsonb,
    -- Whether somebody asked it to pause.
    paused     boolean NOT NULL DEFAULT false
);

-- The time up to which a build was folded that never goes live; null for all others.
ALTER TABLE lore.generations ADD COLUMN until timestamptz;
