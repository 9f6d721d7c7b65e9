DROP VIEW IF EXISTS lore.channels;
CREATE VIEW lore.channels WITH (security_invoker = true) AS SELECT * FROM {schema}.channels;
GRANT SELECT ON lore.channels TO lore_reader;
