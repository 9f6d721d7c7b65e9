-- Which revision of a message a case was made from, and the case that a case was
-- merged into. Builds that exist get the columns, the views of the live one show
-- them; new builds have all of it from the start.
DO $$
DECLARE
    build record;
BEGIN
    FOR build IN SELECT 'cases_g' || number AS name FROM lore.generations WHERE projection = 'cases'
    LOOP
        EXECUTE format('ALTER TABLE %I.case_evidence ADD COLUMN IF NOT EXISTS revision bigint NOT NULL DEFAULT 0', build.name);
        EXECUTE format('ALTER TABLE %I.cases ADD COLUMN IF NOT EXISTS merged_into uuid', build.name);
        EXECUTE format('CREATE INDEX IF NOT EXISTS cases_space_merged_into_idx ON %I.cases (space, merged_into) WHERE merged_into IS NOT NULL', build.name);
    END LOOP;
    FOR build IN SELECT 'cases_g' || generation AS name FROM lore.live
        WHERE projection = 'cases' AND generation IS NOT NULL
    LOOP
        EXECUTE format('CREATE OR REPLACE VIEW lore.case_evidence WITH (security_invoker = true) AS
            SELECT * FROM %I.case_evidence', build.name);
        EXECUTE format($view$
            CREATE OR REPLACE VIEW lore.cases WITH (security_invoker = true) AS
            SELECT c.space, c.case_id, c.channel, c.version,
                   CASE WHEN c.erased_at IS NOT NULL THEN 'erased'
                        WHEN c.merged_into IS NOT NULL THEN 'merged'
                        WHEN c.archived_at IS NOT NULL THEN 'archived'
                        WHEN c.signal IS NOT NULL OR n.confirmations > 0 THEN 'solved'
                        ELSE 'open' END AS status,
                   c.title, c.problem, c.solution, c.tags, c.signal, n.confirmations,
                   c.closing_emoji, c.engine, c.opened_at, c.solved_at, c.archived_at,
                   c.changed_at, c.erased_at, c.merged_into
            FROM %1$I.cases c
            CROSS JOIN LATERAL (
                SELECT count(*) AS confirmations FROM %1$I.case_confirmations f
                WHERE f.space = c.space AND f.case_id = c.case_id
            ) n$view$, build.name);
    END LOOP;
END
$$;
