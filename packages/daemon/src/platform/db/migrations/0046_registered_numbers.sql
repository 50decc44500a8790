-- What WhatsApp answered when it was asked whether a number is registered. NULL: it was never asked.
ALTER TABLE contact_aliases
  ADD COLUMN is_registered boolean,
  ADD COLUMN asked_at      timestamptz,
  ADD CHECK ((is_registered IS NULL) = (asked_at IS NULL));
