-- What happened in each day, week or month that anything happened in, beside the one before it.
-- Days are those of the session's time zone.
CREATE VIEW lore.{name} WITH (security_invoker = true) AS
WITH written AS (
    SELECT space, date_trunc('{period}', sent_at)::date AS starts,
           count(*) AS messages, count(DISTINCT person) AS people
    FROM lore.messages WHERE NOT bot AND sent_at IS NOT NULL GROUP BY 1, 2
), opened AS (
    SELECT space, date_trunc('{period}', opened_at)::date AS starts, count(*) AS cases_opened
    FROM lore.cases WHERE merged_into IS NULL AND opened_at IS NOT NULL GROUP BY 1, 2
), lasted AS (
    SELECT c.space, c.case_id,
           extract(epoch FROM max(m.sent_at) FILTER (WHERE e.part = 'solution')
               - min(m.sent_at) FILTER (WHERE e.part = 'problem'))::bigint AS seconds
    FROM lore.cases c
    JOIN lore.case_evidence e ON e.space = c.space AND e.case_id = c.case_id
    JOIN lore.messages m ON m.space = e.space AND m.message = e.message
    WHERE c.solved_at IS NOT NULL AND c.merged_into IS NULL
    GROUP BY 1, 2
), solved AS (
    SELECT c.space, date_trunc('{period}', c.solved_at)::date AS starts, count(*) AS cases_solved,
           percentile_disc(0.5) WITHIN GROUP (ORDER BY l.seconds)
               FILTER (WHERE l.seconds >= 0) AS seconds_to_solution
    FROM lore.cases c LEFT JOIN lasted l ON l.space = c.space AND l.case_id = c.case_id
    WHERE c.solved_at IS NOT NULL AND c.merged_into IS NULL GROUP BY 1, 2
), considered AS (
    SELECT space, date_trunc('{period}', considered_at)::date AS starts,
           count(*) FILTER (WHERE outcome IN ({asked})) AS asked,
           count(*) FILTER (WHERE outcome IN ({answered})) AS answered,
           count(*) FILTER (WHERE outcome = '{by_person}') AS answered_by_person,
           count(*) FILTER (WHERE outcome IN ({unanswered})) AS unanswered,
           count(*) FILTER (WHERE answer IS NULL) AS silent,
           sum(model_tokens)::bigint AS model_tokens
    FROM lore.turns GROUP BY 1, 2
), rated AS (
    SELECT space, date_trunc('{period}', recorded_at)::date AS starts,
           count(*) FILTER (WHERE outcome = 'worked') AS worked,
           count(*) FILTER (WHERE outcome = 'failed') AS failed
    FROM lore.outcomes GROUP BY 1, 2
), every AS (
    SELECT space, starts FROM written UNION SELECT space, starts FROM opened
    UNION SELECT space, starts FROM solved UNION SELECT space, starts FROM considered
    UNION SELECT space, starts FROM rated
), happened AS (
    SELECT space, starts,
           coalesce(messages, 0) AS messages, coalesce(people, 0) AS people,
           coalesce(asked, 0) AS asked, coalesce(answered, 0) AS answered,
           coalesce(answered_by_person, 0) AS answered_by_person,
           coalesce(unanswered, 0) AS unanswered, coalesce(silent, 0) AS silent,
           coalesce(model_tokens, 0) AS model_tokens,
           coalesce(worked, 0) AS worked, coalesce(failed, 0) AS failed,
           coalesce(cases_opened, 0) AS cases_opened, coalesce(cases_solved, 0) AS cases_solved,
           seconds_to_solution
    FROM every
    LEFT JOIN written USING (space, starts) LEFT JOIN opened USING (space, starts)
    LEFT JOIN solved USING (space, starts) LEFT JOIN considered USING (space, starts)
    LEFT JOIN rated USING (space, starts)
)
SELECT h.space, h.starts,
       h.messages, coalesce(b.messages, 0) AS messages_before,
       h.people, coalesce(b.people, 0) AS people_before,
       h.asked, coalesce(b.asked, 0) AS asked_before,
       h.answered, coalesce(b.answered, 0) AS answered_before,
       h.answered_by_person, coalesce(b.answered_by_person, 0) AS answered_by_person_before,
       h.unanswered, coalesce(b.unanswered, 0) AS unanswered_before,
       h.silent, coalesce(b.silent, 0) AS silent_before,
       h.model_tokens, coalesce(b.model_tokens, 0) AS model_tokens_before,
       h.worked, coalesce(b.worked, 0) AS worked_before,
       h.failed, coalesce(b.failed, 0) AS failed_before,
       h.cases_opened, coalesce(b.cases_opened, 0) AS cases_opened_before,
       h.cases_solved, coalesce(b.cases_solved, 0) AS cases_solved_before,
       h.seconds_to_solution, b.seconds_to_solution AS seconds_to_solution_before
FROM happened h
LEFT JOIN happened b ON b.space = h.space AND b.starts = (h.starts - interval '1 {period}')::date
