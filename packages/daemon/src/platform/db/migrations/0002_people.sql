-- People and places. One contact, many addresses; a grant hangs on the contact or the group, never on
-- an address, so that learning a new address cannot open a door.

CREATE TABLE contacts (
  account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id           uuid NOT NULL DEFAULT gen_random_uuid(),
  display_name text,
  push_name    text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id)
);

CREATE TABLE contact_aliases (
  account_id bigint NOT NULL,
  kind       text NOT NULL CHECK (kind IN ('phone', 'lid')),
  value      text NOT NULL,
  contact_id uuid NOT NULL,
  learnt_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, kind, value),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts ON DELETE CASCADE
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
  created_at      timestamptz NOT NULL DEFAULT now(),
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

-- What the owner allows. No row means no.
CREATE TABLE grants (
  account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id           uuid NOT NULL DEFAULT gen_random_uuid(),
  contact_id   uuid,
  chat_id      uuid,
  display_name text NOT NULL,
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

-- Who wrote without a grant: counted, never answered.
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
