-- By what a build was made: its tables, and how events are folded into them. A version reads and feeds only
-- builds of its own layout. Of builds that were made before it is not known.
ALTER TABLE lore.generations ADD COLUMN layout text NOT NULL DEFAULT '';
