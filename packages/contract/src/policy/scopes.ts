// The scopes of a token, and what each allows in the owner's words. A scope allows its own tools and implies no other
// scope. The names are persisted and part of the API: never rename one.

export const SCOPES = [
  'messages:read',
  'messages:send',
  'conversations:read',
  'conversations:write',
  'permissions:read',
  'permissions:write',
  'schedules:read',
  'schedules:write',
  'search:read',
  'digests:read',
  'ledger:read',
  'link:write',
  'metrics:read',
  'admin',
] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes that a client's token can be created with. */
export const SCOPE_DESCRIPTIONS = {
  'messages:read': 'list the chats you let be read, read their messages, sum them up',
  'messages:send': 'write to people, as far as your grants go',
  'search:read': 'search what was said in those chats',
  'digests:read': 'read the digests of the groups you observe and let be read',
  'conversations:read': 'see conversations and their transcripts',
  'conversations:write':
    'start conversations, pause them, resume what it paused, cancel what it started',
  'schedules:read': 'see what is scheduled',
  'schedules:write': 'schedule messages, and cancel what it scheduled',
  'permissions:read': 'see whom it may read and write to',
  'ledger:read': 'ask why something was or was not sent',
  'link:write': 'show the QR code that links your WhatsApp account',
  'metrics:read': 'read figures for a monitor at /metrics: no words and no names',
} as const satisfies Partial<Record<Scope, string>>;

export type ClientScope = keyof typeof SCOPE_DESCRIPTIONS;

export const CLIENT_SCOPES = Object.keys(SCOPE_DESCRIPTIONS) as [ClientScope, ...ClientScope[]];
