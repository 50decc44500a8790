-- Whose turn it was, back over the last days: transitions by their time.

CREATE INDEX instance_transitions_by_time ON instance_transitions (account_id, at);
