-- Made once a build is filled, or with its tables where it is the first.
CREATE INDEX IF NOT EXISTS cases_words_idx ON {schema}.cases USING gin (words);
CREATE INDEX IF NOT EXISTS cases_space_channel_changed_at_idx
    ON {schema}.cases (space, channel, changed_at);
CREATE INDEX IF NOT EXISTS cases_space_merged_into_idx
    ON {schema}.cases (space, merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX IF NOT EXISTS case_evidence_space_message_idx
    ON {schema}.case_evidence (space, message);
