// Fixtures for policy tests: one plumber in a direct chat, one group, every actor. Only tests import this.

import { approvalId, chatId, contactId, instanceId, runId, tokenId } from '@relay/contract/ids';
import type { Scope } from '@relay/contract/policy/scopes';
import type { Grant } from '../../contacts/grants.ts';
import type { Actor } from '../actors.ts';
import {
  BARE_FACTS,
  type ConversationFacts,
  type PolicyFacts,
  type ScheduleFacts,
} from '../facts.ts';
import type { Intent, SendMessage } from '../intents.ts';

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export const PLUMBER = contactId(uuid(1));
export const ANA = contactId(uuid(2));
export const PLUMBERS_CHAT = chatId(uuid(11));
export const ANAS_CHAT = chatId(uuid(12));
export const FAMILY = chatId(uuid(13));
export const OWN_CHAT = chatId(uuid(14));
export const QUOTE = instanceId(uuid(21));
export const OTHER_INSTANCE = instanceId(uuid(22));

export const FULL: Grant = {
  canRead: true,
  canReply: true,
  replyMode: 'auto',
  canInitiate: true,
};

export const owner = { kind: 'owner' } as const satisfies Actor;
export const assistant = { kind: 'assistant', run: runId(uuid(31)) } as const satisfies Actor;
export const autoReply = { kind: 'auto_reply', chat: PLUMBERS_CHAT } as const satisfies Actor;
export const conversation = {
  kind: 'conversation',
  instance: QUOTE,
  chat: PLUMBERS_CHAT,
} as const satisfies Actor;
export const observer = { kind: 'observer', chat: FAMILY } as const satisfies Actor;
export const scheduler = { kind: 'scheduler' } as const satisfies Actor;
export const notifier = { kind: 'notifier' } as const satisfies Actor;
export const token = (...scopes: Scope[]) =>
  ({ kind: 'token', token: tokenId(uuid(32)), scopes, contacts: null }) as const satisfies Actor;

export const send = (overrides: Partial<SendMessage> = {}): Intent => ({
  kind: 'send_message',
  chat: PLUMBERS_CHAT,
  firstContact: false,
  hash: 'hash of what is shown',
  ...overrides,
});
export const schedule: Intent = {
  kind: 'schedule_message',
  chat: PLUMBERS_CHAT,
  firstContact: false,
  hash: 'hash of what is shown',
};
export const create: Intent = { ...schedule, kind: 'create_conversation' };
export const react: Intent = { kind: 'react', chat: PLUMBERS_CHAT, hash: 'thumbs up' };
export const markRead: Intent = { kind: 'mark_read', chat: PLUMBERS_CHAT, hash: 'read' };
export const widen: Intent = {
  kind: 'manage_grant',
  of: { kind: 'contact', contact: PLUMBER },
  change: 'widen',
  hash: 'hash of the new grant',
};
export const narrow: Intent = { ...widen, change: 'narrow' };
export const cancel: Intent = { kind: 'cancel_schedule', own: false, hash: 'hash of the schedule' };
export const holdOn: Intent = { kind: 'set_hold', on: true };
export const answer: Intent = { kind: 'answer_approval', approval: approvalId(uuid(41)) };

/** In the plumber's direct chat, with nothing granted. */
export const facts = (overrides: Partial<PolicyFacts> = {}): PolicyFacts => ({
  ...BARE_FACTS,
  chat: { kind: 'direct', id: PLUMBERS_CHAT, contact: PLUMBER },
  ...overrides,
});
export const granting = (
  grant: Partial<Grant> = {},
  overrides: Partial<PolicyFacts> = {},
): PolicyFacts => facts({ contactGrant: { ...FULL, ...grant }, ...overrides });

export const quote: ConversationFacts = {
  instance: QUOTE,
  chat: PLUMBERS_CHAT,
  contact: PLUMBER,
  ended: false,
  firstContactApproved: false,
};
export const agentsSchedule: ScheduleFacts = {
  chat: PLUMBERS_CHAT,
  hash: 'hash of what is shown',
  by: 'agent',
  clientRevoked: false,
  approved: false,
};
