-- The projection of vectors.
INSERT INTO lore.live (projection) VALUES ('vectors');
