// The scopes of a token, and what each allows in the owner's words. A scope allows its own tools and implies no other
// scope. The names are persisted and part of the API: never rename one.

export const SCOPES = [
  'messages:read',
  'messages:send',
  'media:read',
  'media:write',
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
  'events:read',
  'webhooks:write',
  'approvals:read',
  'admin',
] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes that a client's token can be created with. */
export const SCOPE_DESCRIPTIONS = {
  'messages:read': 'List readable chats, read and summarize their messages',
  'messages:send': 'Send messages, within your grants',
  'media:read': 'Read photos, voice messages and documents in readable chats',
  'media:write': 'Upload files to send, within your grants',
  'search:read': 'Search messages in readable chats',
  'digests:read': 'Read digests of observed groups with a read grant',
  'conversations:read': 'Read conversations and their transcripts',
  'conversations:write':
    'Start and pause conversations, resume those it paused, cancel those it started',
  'schedules:read': 'List schedules',
  'schedules:write': 'Schedule messages and cancel its own schedules',
  'permissions:read': 'List the contacts that it may read and write to',
  'ledger:read': 'Ask why a message was or was not sent',
  'link:write': 'Show the QR code that links your WhatsApp account',
  'metrics:read': 'Read metrics at /metrics, without texts and names',
  'events:read': 'Follow what happens in chats that it may use; texts only with messages:read',
  'webhooks:write': 'Receive the same events at its own webhooks, until the token is revoked',
  'approvals:read': 'See the approvals that its own requests wait for',
} as const satisfies Partial<Record<Scope, string>>;

export type ClientScope = keyof typeof SCOPE_DESCRIPTIONS;

export const CLIENT_SCOPES = Object.keys(SCOPE_DESCRIPTIONS) as [ClientScope, ...ClientScope[]];
