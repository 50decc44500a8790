-- What became of each occurrence of a schedule.

ALTER TABLE schedule_runs
  -- Occurrences that were left out together are one row, from `due_at` to `last_due_at`.
  ADD COLUMN count       integer NOT NULL DEFAULT 1,
  ADD COLUMN last_due_at timestamptz,
  -- The question to the owner that it waits for.
  ADD COLUMN approval_id uuid,
  ADD CONSTRAINT schedule_runs_outcome CHECK (outcome IN ('queued', 'waiting', 'refused', 'skipped'));
