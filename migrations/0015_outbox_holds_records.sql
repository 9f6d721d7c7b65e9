-- What is published is encoded when it is decided. Rows that the version before left have `event`
-- and no `record`: their next owner encodes them.
ALTER TABLE lore_state.outbox ALTER COLUMN event DROP NOT NULL;
-- CBOR: the encoded record, and whose key is destroyed once it is in the log.
ALTER TABLE lore_state.outbox ADD COLUMN record bytea;
ALTER TABLE lore_state.outbox ALTER COLUMN record SET STORAGE EXTERNAL;
ALTER TABLE lore_state.outbox
    ADD CONSTRAINT outbox_has_one_body CHECK ((event IS NULL) <> (record IS NULL));
