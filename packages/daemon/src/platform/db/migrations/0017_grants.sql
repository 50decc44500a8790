-- On whose account something waits or was permitted: the run of the model, and the schedule it fulfils.

ALTER TABLE approvals
  ADD COLUMN run_id      uuid,
  ADD COLUMN schedule_id uuid;
ALTER TABLE permits
  ADD COLUMN run_id      uuid,
  ADD COLUMN schedule_id uuid;
-- The owner's yes to what an agent scheduled.
ALTER TABLE schedules ADD COLUMN approval_id uuid;
