-- Grows each time the account's wire store is opened, and goes into every one of its writes. A statement
-- that was under way when its connection broke may reach the server late: by then it finds no row.

ALTER TABLE account_leases ADD COLUMN wire_epoch bigint NOT NULL DEFAULT 0;
