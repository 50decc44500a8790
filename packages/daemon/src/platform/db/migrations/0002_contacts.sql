-- Contacts, chats and grants. One contact, many addresses; a grant belongs to the contact or the group, never
-- to an address, so that learning a new address cannot allow anything.

CREATE TABLE contacts (
  account_id      bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id              uuid NOT NULL DEFAULT gen_random_uuid(),
  display_name    text,
  push_name       text,
  created_at      timestamptz NOT NULL DEFAULT now(),
  -- In any chat. Narrows the search for the last messages of many contacts.
  last_message_at timestamptz,
  -- As in `accounts`, deleted with the contact.
  salt            bytea NOT NULL DEFAULT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
  PRIMARY KEY (account_id, id)
);

CREATE TABLE contact_aliases (
  account_id    bigint NOT NULL,
  kind          text NOT NULL CHECK (kind IN ('phone', 'lid')),
  value         text NOT NULL,
  contact_id    uuid NOT NULL,
  learnt_at     timestamptz NOT NULL DEFAULT now(),
  -- What WhatsApp answered when asked whether the number is registered. NULL: it was never asked.
  is_registered boolean,
  asked_at      timestamptz,
  PRIMARY KEY (account_id, kind, value),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts ON DELETE CASCADE,
  CHECK ((is_registered IS NULL) = (asked_at IS NULL))
);
CREATE INDEX contact_aliases_by_contact ON contact_aliases (account_id, contact_id);

CREATE TABLE chats (
  account_id      bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id              uuid NOT NULL DEFAULT gen_random_uuid(),
  kind            text NOT NULL CHECK (kind IN ('direct', 'group')),
  contact_id      uuid,
  group_address   text,
  subject         text,
  expires_after_s integer,
  last_message_at timestamptz,
  unread_count    integer NOT NULL DEFAULT 0,
  -- How many days its messages are kept; 0: without a limit; NULL: as all chats.
  retention_days  integer CHECK (retention_days >= 0),
  created_at      timestamptz NOT NULL DEFAULT now(),
  -- As in `accounts`, deleted with the chat.
  salt            bytea NOT NULL DEFAULT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts ON DELETE CASCADE,
  CHECK ((kind = 'direct') = (contact_id IS NOT NULL)),
  CHECK ((kind = 'group') = (group_address IS NOT NULL))
);
CREATE UNIQUE INDEX chats_one_per_contact ON chats (account_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE UNIQUE INDEX chats_one_per_group ON chats (account_id, group_address) WHERE group_address IS NOT NULL;
CREATE INDEX chats_recent ON chats (account_id, last_message_at DESC NULLS LAST, id);

CREATE TABLE chat_members (
  account_id bigint NOT NULL,
  chat_id    uuid NOT NULL,
  contact_id uuid NOT NULL,
  role       text NOT NULL DEFAULT 'member' CHECK (role IN ('member', 'admin')),
  PRIMARY KEY (account_id, chat_id, contact_id),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE,
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts ON DELETE CASCADE
);
CREATE INDEX chat_members_by_contact ON chat_members (account_id, contact_id);

-- What the owner allows. Without a row nothing is allowed.
CREATE TABLE grants (
  account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id           uuid NOT NULL DEFAULT gen_random_uuid(),
  contact_id   uuid,
  chat_id      uuid,
  -- Given by the owner, or NULL. What contacts and groups call themselves is shown to the owner and never
  -- copied here: agents know them by number or address.
  display_name text,
  can_read     boolean NOT NULL DEFAULT false,
  can_reply    boolean NOT NULL DEFAULT false,
  can_initiate boolean NOT NULL DEFAULT false,
  reply_mode   text NOT NULL DEFAULT 'auto' CHECK (reply_mode IN ('auto', 'draft')),
  session_id   uuid,
  options      jsonb NOT NULL DEFAULT '{}',
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts ON DELETE CASCADE,
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE,
  CHECK (num_nonnulls(contact_id, chat_id) = 1)
);
CREATE UNIQUE INDEX grants_one_per_contact ON grants (account_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE UNIQUE INDEX grants_one_per_group ON grants (account_id, chat_id) WHERE chat_id IS NOT NULL;

-- Message requests: contacts without a grant who wrote. Counted, never answered.
CREATE TABLE knocks (
  account_id   bigint NOT NULL,
  contact_id   uuid NOT NULL,
  count        integer NOT NULL DEFAULT 1,
  first_at     timestamptz NOT NULL DEFAULT now(),
  last_at      timestamptz NOT NULL DEFAULT now(),
  dismissed_at timestamptz,
  PRIMARY KEY (account_id, contact_id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts ON DELETE CASCADE
);

-- Messages of contacts without a grant are stored up to a daily budget; beyond it they are only counted.
CREATE TABLE stranger_use (
  account_id bigint NOT NULL,
  -- In UTC.
  day        date NOT NULL,
  contact_id uuid NOT NULL,
  bytes      bigint NOT NULL DEFAULT 0,
  not_stored integer NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, day, contact_id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts ON DELETE CASCADE
);
CREATE INDEX stranger_use_of_contact ON stranger_use (account_id, contact_id);
