// The scopes that a program's token can be made with, and what each opens, as the owner reads it. Each opens
// its own tools and no other's. Pure.
import type { Scope } from './actors.ts';

export const SCOPE_WORDS = {
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

export type ProgramScope = keyof typeof SCOPE_WORDS;

export const PROGRAM_SCOPES = Object.keys(SCOPE_WORDS) as [ProgramScope, ...ProgramScope[]];
