-- By which layout the states of a shard are stored: a version whose role has another one makes them anew
-- from the log. All that were stored before are of layout 0.
ALTER TABLE lore_state.shards ADD COLUMN layout integer NOT NULL DEFAULT 0;
