-- Each statement is a view of its own; `{…}` are lists of outcomes.
CREATE VIEW lore.silences WITH (security_invoker = true) AS
SELECT space, considered_at::date AS day, outcome, count(*) AS turns
FROM lore.turns WHERE answer IS NULL GROUP BY 1, 2, 3;

CREATE VIEW lore.unanswered WITH (security_invoker = true) AS
SELECT t.space, t.turn, t.channel, t.person, q.name, t.considered_at AS asked_at, t.outcome, q.question
FROM lore.turns t
CROSS JOIN LATERAL (
    SELECT max(m.name) AS name, string_agg(m.text, E'\n' ORDER BY asked.position) AS question
    FROM unnest(t.messages) WITH ORDINALITY AS asked (message, position)
    JOIN lore.messages m ON m.space = t.space AND m.message = asked.message
) q
WHERE t.outcome IN ({unanswered});

CREATE VIEW lore.asked_cases WITH (security_invoker = true) AS
SELECT t.space, r.case_id, c.channel, c.title, c.solution, c.status,
       count(*) AS answers, count(DISTINCT t.person) AS people,
       count(*) FILTER (WHERE o.outcome = 'worked') AS worked,
       count(*) FILTER (WHERE o.outcome = 'failed') AS failed,
       min(t.considered_at) AS first_at, max(t.considered_at) AS last_at
FROM lore.turns t
JOIN lore.turn_citations r ON r.space = t.space AND r.turn = t.turn AND r.position = 0
LEFT JOIN lore.cases c ON c.space = r.space AND c.case_id = r.case_id
LEFT JOIN lore.outcomes o ON o.space = t.space AND o.answer = t.answer
GROUP BY t.space, r.case_id, c.channel, c.title, c.solution, c.status;

CREATE VIEW lore.helpers WITH (security_invoker = true) AS
SELECT m.space, m.person, (array_agg(m.name ORDER BY m.sent_at DESC))[1] AS name,
       count(DISTINCT e.case_id) AS cases,
       count(DISTINCT e.case_id) FILTER (WHERE c.confirmations > 0) AS confirmed_cases,
       min(m.sent_at) AS first_at, max(m.sent_at) AS last_at
FROM lore.case_evidence e
JOIN lore.cases c ON c.space = e.space AND c.case_id = e.case_id
JOIN lore.messages m ON m.space = e.space AND m.message = e.message
WHERE e.part = 'solution' AND c.status = 'solved'
GROUP BY m.space, m.person;
