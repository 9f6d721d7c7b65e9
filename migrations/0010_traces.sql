-- What follows from a call is in the trace of what asked for it.
ALTER TABLE lore_state.effects ADD COLUMN traceparent text;
