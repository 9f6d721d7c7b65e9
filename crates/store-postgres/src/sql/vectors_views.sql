DROP VIEW IF EXISTS lore.vectors;
CREATE VIEW lore.vectors WITH (security_invoker = true) AS SELECT * FROM {schema}.vectors;
GRANT SELECT ON lore.vectors TO lore_reader;
