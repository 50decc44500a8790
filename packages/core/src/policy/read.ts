// Decides whether an actor may read in a chat. Checked for each chat before its text reaches a model or leaves by a
// route; queries apply the same rules in SQL. A read across chats is one question per chat.

import type { Scope } from '@relay/contract/policy/scopes';
import type { Actor } from './actors.ts';
import { conversationAuthority, isOnContactList } from './decide.ts';
import { type PolicyFacts, standingGrant } from './facts.ts';
import { type Decision, decisionFor, type ReasonCode, type ReasonFor } from './reasons.ts';

export const READ_KINDS = [
  'messages',
  'search',
  'digests',
  'conversations',
  'permissions',
  'schedules',
  'ledger',
] as const;
/** Text by people, its search results and summaries; and records of conversations, grants, schedules and decisions. */
export type ReadKind = (typeof READ_KINDS)[number];

export interface ReadFacts
  extends Pick<PolicyFacts, 'chat' | 'contactGrant' | 'groupGrant' | 'conversation'> {
  readonly what: ReadKind;
}

const READERS: Readonly<Record<Actor['kind'], readonly ReadKind[]>> = {
  owner: READ_KINDS,
  assistant: READ_KINDS,
  token: READ_KINDS,
  auto_reply: ['messages', 'search'],
  conversation: ['messages', 'search', 'conversations'],
  observer: ['messages', 'search'],
  scheduler: [],
  notifier: [],
};

/** The scope a token needs for each kind of read. */
export const SCOPE_TO_READ: Readonly<Record<ReadKind, Scope>> = {
  messages: 'messages:read',
  search: 'search:read',
  digests: 'digests:read',
  conversations: 'conversations:read',
  permissions: 'permissions:read',
  schedules: 'schedules:read',
  ledger: 'ledger:read',
};

export function canRead(actor: Actor, facts: ReadFacts): Decision {
  return decisionFor(refusedReader(actor, facts) ?? readAuthority(actor, facts));
}

function refusedReader(actor: Actor, { what, chat }: ReadFacts): ReasonFor<'deny'> | null {
  if (!Object.hasOwn(READERS, actor.kind)) return 'no_rule';
  if (!READERS[actor.kind].includes(what)) return 'not_a_reader';
  if (actor.kind === 'owner') return null;
  if (actor.kind === 'token' && !actor.scopes.includes(SCOPE_TO_READ[what])) return 'missing_scope';
  if (chat?.kind === 'direct' && chat.contact === null) return 'unresolved_identity';
  if ('chat' in actor && actor.chat !== chat?.id) return 'other_chat';
  const contact = chat?.kind === 'direct' ? chat.contact : null;
  return isOnContactList(actor, contact) ? null : 'contact_not_on_token';
}

function readAuthority(actor: Actor, facts: ReadFacts): ReasonCode {
  const { what, chat } = facts;
  const text = what === 'messages' || what === 'search' || what === 'digests';
  switch (actor.kind) {
    case 'owner':
      return 'owner';
    case 'assistant':
      if (!text) return 'owners_assistant';
      return chat?.kind === 'own' ? 'own_chat' : granted(facts);
    case 'token':
      return text ? granted(facts) : 'token_scope';
    case 'auto_reply':
      return chat?.kind === 'direct' ? granted(facts) : 'direct_chats_only';
    case 'conversation':
      return conversationAuthority(actor, facts);
    case 'observer':
      return chat?.kind === 'group' && chat.observed ? granted(facts) : 'not_observed';
    case 'scheduler':
    case 'notifier':
      return 'not_a_reader';
  }
}

function granted(facts: ReadFacts): ReasonCode {
  if (facts.chat === null) return 'unknown_chat';
  const grant = standingGrant(facts);
  if (grant === null) return 'no_grant';
  return grant.canRead ? 'standing_grant' : 'no_read_grant';
}
