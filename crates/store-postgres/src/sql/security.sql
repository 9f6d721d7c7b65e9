-- Applied to every table of every build. Readers see one space; the owner, who writes, is not
-- held to it.
GRANT USAGE ON SCHEMA {schema} TO lore_reader;
GRANT SELECT ON {schema}.{table} TO lore_reader;
ALTER TABLE {schema}.{table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON {schema}.{table} FOR SELECT TO lore_reader
    USING (space = (SELECT lore.space()));
