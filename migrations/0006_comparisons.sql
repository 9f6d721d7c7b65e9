-- What a replay saw when it compared a build with the live one, so that every process can show it. Not in
-- `lore`, because rows that differ may be of any space.
CREATE TABLE lore_state.comparisons (
    projection text NOT NULL,
    number integer NOT NULL,
    result jsonb NOT NULL,
    PRIMARY KEY (projection, number),
    FOREIGN KEY (projection, number) REFERENCES lore.generations (projection, number) ON DELETE CASCADE
);
