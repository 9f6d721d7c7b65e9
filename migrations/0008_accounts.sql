-- People who sign in to the pages, and what each may in which space. Of a password there is what Argon2id makes of it.
CREATE TABLE lore_state.accounts (
    name text PRIMARY KEY,
    -- None where somebody has not chosen one, as who signs in at a provider never does.
    password text,
    -- Another one with each password: sessions and links of before end.
    mark text NOT NULL,
    signed_in_at timestamptz
);
CREATE TABLE lore_state.account_rights (
    name text NOT NULL REFERENCES lore_state.accounts ON DELETE CASCADE,
    space text NOT NULL,
    rights text[] NOT NULL,
    given_at timestamptz NOT NULL,
    given_by text NOT NULL,
    PRIMARY KEY (name, space)
);
CREATE INDEX ON lore_state.account_rights (space, name);
