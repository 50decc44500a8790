-- What all agents used in one of the owner's days, kept beside the runs: asked after every call of a model,
-- it may not cost more the longer the day is.

CREATE TABLE spending (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- As the calendar of the machine has it on which the daemon runs.
  day        date NOT NULL,
  tokens     bigint NOT NULL CHECK (tokens >= 0),
  PRIMARY KEY (account_id, day)
);
INSERT INTO spending (account_id, day, tokens)
  SELECT account_id, started_at::date, sum(input_tokens::bigint + output_tokens) FROM runs GROUP BY 1, 2;
