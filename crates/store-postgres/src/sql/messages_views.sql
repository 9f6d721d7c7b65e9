DROP VIEW IF EXISTS lore.messages, lore.reactions;
CREATE VIEW lore.messages WITH (security_invoker = true) AS SELECT * FROM {schema}.messages;
CREATE VIEW lore.reactions WITH (security_invoker = true) AS SELECT * FROM {schema}.reactions;
GRANT SELECT ON lore.messages, lore.reactions TO lore_reader;
