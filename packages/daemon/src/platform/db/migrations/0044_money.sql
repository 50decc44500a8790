-- What the calls of models cost in a day, in millionths of a US dollar, beside their tokens.

ALTER TABLE spending ADD COLUMN micros bigint NOT NULL DEFAULT 0 CHECK (micros >= 0);
