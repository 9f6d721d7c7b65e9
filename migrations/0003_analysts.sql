-- The space whose rows a session reads. That of an analyst's sign-in is in the comment of its role, which
-- only whoever made the role can change; any other session says it by `lore.space`.
CREATE FUNCTION lore.space() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(
        pg_catalog.substring(
            pg_catalog.shobj_description(r.oid, 'pg_authid'), '^threadlore reads the space (.+)$'),
        pg_catalog.current_setting('lore.space', true))
    FROM pg_catalog.pg_roles r WHERE r.rolname = SESSION_USER
$$;
GRANT EXECUTE ON FUNCTION lore.space TO lore_reader;

-- Builds that were made before. Later ones have it from the start.
DO $$
DECLARE
    build record;
BEGIN
    FOR build IN SELECT schemaname, tablename FROM pg_policies
        WHERE policyname = 'reader' AND schemaname ~ '^[a-z]+_g[1-9][0-9]*$'
    LOOP
        EXECUTE format('ALTER POLICY reader ON %I.%I USING (space = (SELECT lore.space()))',
            build.schemaname, build.tablename);
    END LOOP;
END
$$;
