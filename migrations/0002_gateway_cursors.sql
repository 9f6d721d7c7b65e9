-- How far each gateway has handed over what its platform sent. A lost one is begun anew: what was
-- handed over before has the same ids, and intake drops it.
CREATE TABLE lore_state.gateway_cursors (
    gateway text        PRIMARY KEY,
    cursor  text        NOT NULL,
    kept_at timestamptz NOT NULL DEFAULT now()
);
