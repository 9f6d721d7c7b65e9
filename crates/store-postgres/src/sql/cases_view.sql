CREATE VIEW lore.cases WITH (security_invoker = true) AS
    SELECT c.space, c.case_id, c.channel, c.version,
           CASE WHEN c.erased_at IS NOT NULL THEN 'erased'
                WHEN c.merged_into IS NOT NULL THEN 'merged'
                WHEN c.archived_at IS NOT NULL THEN 'archived'
                WHEN c.signal IS NOT NULL OR n.confirmations > 0 THEN 'solved'
                ELSE 'open' END AS status,
           c.title, c.problem, c.solution, c.tags, c.signal, n.confirmations, c.closing_emoji,
           c.engine, c.opened_at, c.solved_at, c.archived_at, c.changed_at,
           c.erased_at, c.merged_into, c.suggestion, c.worded_in
    FROM {schema}.cases c
    CROSS JOIN LATERAL (
        SELECT count(*) AS confirmations FROM {schema}.case_confirmations f
        WHERE f.space = c.space AND f.case_id = c.case_id
    ) n
