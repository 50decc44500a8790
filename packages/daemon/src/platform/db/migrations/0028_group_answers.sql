-- An answer in an observed group: which message it became, and the request that a run answers.

ALTER TABLE observer_requests ADD COLUMN outbox_id uuid;
CREATE INDEX observer_requests_of_run ON observer_requests (account_id, run_id) WHERE run_id IS NOT NULL;
