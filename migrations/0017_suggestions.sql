-- What was suggested to an open case, and the messages that carry it. Builds that exist get the
-- column, the view of the live one shows it; new builds have it from the start, and their words to
-- search too.
DO $$
DECLARE
    build record;
BEGIN
    FOR build IN SELECT 'cases_g' || number AS name FROM lore.generations WHERE projection = 'cases'
    LOOP
        EXECUTE format('ALTER TABLE %I.cases ADD COLUMN IF NOT EXISTS suggestion text', build.name);
        EXECUTE format('ALTER TABLE %I.case_evidence DROP CONSTRAINT IF EXISTS case_evidence_part_check', build.name);
        EXECUTE format($check$
            ALTER TABLE %I.case_evidence ADD CONSTRAINT case_evidence_part_check
            CHECK (part IN ('problem', 'solution', 'suggestion', 'context'))$check$, build.name);
    END LOOP;
    FOR build IN SELECT 'cases_g' || generation AS name FROM lore.live
        WHERE projection = 'cases' AND generation IS NOT NULL
    LOOP
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
                   c.changed_at, c.erased_at, c.merged_into, c.suggestion
            FROM %1$I.cases c
            CROSS JOIN LATERAL (
                SELECT count(*) AS confirmations FROM %1$I.case_confirmations f
                WHERE f.space = c.space AND f.case_id = c.case_id
            ) n$view$, build.name);
    END LOOP;
END
$$;
