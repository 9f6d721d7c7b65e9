-- States and waiting calls are rewritten with every batch and read back rarely:
-- compressing them each time costs more than writing them whole.
ALTER TABLE lore_state.states ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE lore_state.effects ALTER COLUMN request SET STORAGE EXTERNAL;
