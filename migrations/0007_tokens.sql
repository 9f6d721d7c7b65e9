-- What programs were given to use the HTTP API: for which space, with which rights, by whom, and what became of it.
-- What a program sends is signed, and is not here.
CREATE TABLE lore_state.tokens (
    id text PRIMARY KEY,
    space text NOT NULL,
    name text NOT NULL,
    rights text[] NOT NULL,
    until timestamptz NOT NULL,
    made_at timestamptz NOT NULL,
    made_by text NOT NULL,
    used_at timestamptz,
    revoked_at timestamptz,
    revoked_by text
);
CREATE INDEX ON lore_state.tokens (space, made_at);
