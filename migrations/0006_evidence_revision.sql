-- Which revision of a message a case was made from. Builds that exist get the
-- column; what they hold was made from words that no later edit changed.
DO $$
DECLARE
    build record;
BEGIN
    FOR build IN SELECT 'cases_g' || number AS name FROM lore.generations WHERE projection = 'cases'
    LOOP
        EXECUTE format('ALTER TABLE %I.case_evidence ADD COLUMN IF NOT EXISTS revision bigint NOT NULL DEFAULT 0', build.name);
    END LOOP;
    FOR build IN SELECT 'cases_g' || generation AS name FROM lore.live
        WHERE projection = 'cases' AND generation IS NOT NULL
    LOOP
        EXECUTE format('CREATE OR REPLACE VIEW lore.case_evidence WITH (security_invoker = true) AS
            SELECT * FROM %I.case_evidence', build.name);
    END LOOP;
END
$$;
