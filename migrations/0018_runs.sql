-- The decision run that a build of cases shows (`threadlore redecide`); builds of other projections
-- are of none.
ALTER TABLE lore.generations ADD COLUMN run integer NOT NULL DEFAULT 1;
