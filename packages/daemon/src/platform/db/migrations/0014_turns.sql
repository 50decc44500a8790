-- What a turn of a conversation's agent was asked in and had read, and a transcript that loses nothing.

ALTER TABLE runs
  -- Not known before the first call of the model.
  ALTER COLUMN provider DROP NOT NULL,
  ALTER COLUMN model DROP NOT NULL,
  -- The instance's epoch it was asked for in.
  ADD COLUMN epoch      integer,
  -- The last line of the transcript that it was shown.
  ADD COLUMN read_up_to bigint;
CREATE INDEX runs_of_instance ON runs (account_id, instance_id, started_at) WHERE instance_id IS NOT NULL;

-- A line goes only with its whole conversation, when a person is erased.
CREATE FUNCTION refuse_lone_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM instances i WHERE i.account_id = OLD.account_id AND i.id = OLD.instance_id) THEN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER transcript_keeps_all BEFORE DELETE ON instance_messages
  FOR EACH ROW EXECUTE FUNCTION refuse_lone_delete();
