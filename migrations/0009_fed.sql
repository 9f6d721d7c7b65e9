-- Whether a build is fed. A replay holds back what it makes and what it compares, in
-- whichever process the feeders are; whoever has the turn of the projection (an advisory
-- lock) sees to what a replay left that was cut off.
ALTER TABLE lore.generations ADD COLUMN fed boolean NOT NULL DEFAULT true;
