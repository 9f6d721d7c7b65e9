-- The role that readers act as. Roles belong to the whole server, so another
-- database may have made it, even at this moment.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'lore_reader') THEN
        BEGIN
            CREATE ROLE lore_reader NOLOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
    END IF;
    BEGIN
        SET LOCAL ROLE lore_reader;
        RESET ROLE;
    EXCEPTION WHEN insufficient_privilege THEN
        EXECUTE format('GRANT lore_reader TO %I', current_user);
    END;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'user % may neither make nor use the role lore_reader', current_user
        USING HINT = 'as a superuser: CREATE ROLE lore_reader; GRANT lore_reader TO that user';
END
$$;

CREATE SCHEMA lore;
GRANT USAGE ON SCHEMA lore TO lore_reader;

-- One row per projection. `generation` is the pointer to the live build; `last`
-- is the highest number given out, so that none is given twice.
CREATE TABLE lore.live (
    projection text    PRIMARY KEY,
    generation integer,
    last       integer NOT NULL DEFAULT 0
);
INSERT INTO lore.live (projection) VALUES ('messages'), ('cases'), ('channels');

CREATE TABLE lore.generations (
    projection text    NOT NULL REFERENCES lore.live,
    number     integer NOT NULL,
    PRIMARY KEY (projection, number)
);
ALTER TABLE lore.live
    ADD FOREIGN KEY (projection, generation) REFERENCES lore.generations (projection, number);
GRANT SELECT ON lore.live, lore.generations TO lore_reader;

-- Words of a case for full-text search. A case longer than the bound is found
-- by its first part: a tsvector holds at most 1 MiB.
CREATE FUNCTION lore.words(title text, problem text, solution text, tags text[])
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_tsvector(
    'pg_catalog.english'::regconfig,
    left(concat_ws(' ', title, array_to_string(tags, ' '), problem, solution), 50000)
);
GRANT EXECUTE ON FUNCTION lore.words TO lore_reader;
