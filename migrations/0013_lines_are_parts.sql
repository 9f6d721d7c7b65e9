-- The extractor stores each line of a window by itself, with what it answers, and each record
-- that waits: what it kept until now has another shape and is rebuilt from the log by the next
-- owner of each shard. What was decided and not published is decided again.
DELETE FROM lore_state.states WHERE consumer_group = 'extractor';
DELETE FROM lore_state.parts WHERE consumer_group = 'extractor';
DELETE FROM lore_state.effects WHERE consumer_group = 'extractor';
DELETE FROM lore_state.outbox WHERE consumer_group = 'extractor';
DELETE FROM lore_state.marks WHERE consumer_group = 'extractor';
UPDATE lore_state.shards SET positions = '{}', decided = '{}', recovered = false
    WHERE consumer_group = 'extractor';
