-- What the indexer still has to take from a build. All cases of builds that exist are
-- marked: they have no points yet.
CREATE SEQUENCE lore_state.marks_given;
DO $$
DECLARE
    build record;
BEGIN
    FOR build IN SELECT 'cases_g' || number AS name FROM lore.generations WHERE projection = 'cases'
    LOOP
        EXECUTE format('CREATE TABLE %I.unindexed (
            space   text COLLATE "C" NOT NULL,
            case_id uuid             NOT NULL,
            mark    bigint           NOT NULL DEFAULT nextval(''lore_state.marks_given''),
            PRIMARY KEY (space, case_id))', build.name);
        EXECUTE format('INSERT INTO %1$I.unindexed (space, case_id)
            SELECT space, case_id FROM %1$I.cases', build.name);
    END LOOP;
END
$$;
