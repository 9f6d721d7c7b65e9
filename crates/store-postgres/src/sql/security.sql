-- Applied to every table of every build. The owner writes; readers see one space.
GRANT USAGE ON SCHEMA {schema} TO lore_reader;
GRANT SELECT ON {schema}.{table} TO lore_reader;
ALTER TABLE {schema}.{table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {schema}.{table} FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON {schema}.{table} TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY reader ON {schema}.{table} FOR SELECT TO lore_reader
    USING (space = current_setting('lore.space', true));
