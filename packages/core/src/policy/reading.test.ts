import { describe, expect, test } from 'vitest';
import type { Actor } from './actors.ts';
import { canRead, type ReadFacts, type ReadKind } from './decide.ts';
import type { PolicyFacts } from './facts.ts';
import { decisionFor, type ReasonCode } from './reasons.ts';
import {
  ANA,
  ANAS_CHAT,
  assistant,
  autoReply,
  conversation,
  FAMILY,
  FULL,
  facts,
  granting,
  OTHER_INSTANCE,
  OWN_CHAT,
  observer,
  owner,
  PLUMBER,
  PLUMBERS_CHAT,
  quote,
  scheduler,
  token,
} from './testing/cast.ts';

const reading = (known: PolicyFacts, what: ReadKind = 'messages'): ReadFacts => ({
  ...known,
  what,
});
const group = (observed: boolean, overrides: Partial<PolicyFacts> = {}): ReadFacts =>
  reading(facts({ chat: { kind: 'group', id: FAMILY, observed }, ...overrides }));
const unresolved = reading(
  granting({}, { chat: { kind: 'direct', id: PLUMBERS_CHAT, contact: null } }),
);
const noChat = (what: ReadKind): ReadFacts => reading(granting({}, { chat: null }), what);
const reader = token('messages:read');

describe('reading', () => {
  test.each<[string, Actor, ReadFacts, ReasonCode]>([
    ['the owner reads everything', owner, unresolved, 'owner'],
    ['the assistant reads what is granted', assistant, reading(granting()), 'standing_grant'],
    ['nothing without a grant', assistant, reading(facts()), 'no_grant'],
    [
      'a reply grant is no read grant',
      assistant,
      reading(granting({ canRead: false })),
      'no_read_grant',
    ],
    ['nobody unresolved', assistant, unresolved, 'unresolved_identity'],
    ['all chats at once is no question', assistant, noChat('messages'), 'unknown_chat'],
    ['the assistant lists grants', assistant, noChat('permissions'), 'owners_assistant'],
    [
      'the assistant reads its owner',
      assistant,
      reading(facts({ chat: { kind: 'own', id: OWN_CHAT } })),
      'own_chat',
    ],
    ['a direct grant opens no group', assistant, group(false, { contactGrant: FULL }), 'no_grant'],
    ['a group’s grant does', assistant, group(false, { groupGrant: FULL }), 'standing_grant'],

    ['a session reads its chat', autoReply, reading(granting()), 'standing_grant'],
    ['and no other', { ...autoReply, chat: ANAS_CHAT }, reading(granting()), 'other_chat'],
    [
      'and no group',
      { ...autoReply, chat: FAMILY },
      group(false, { groupGrant: FULL }),
      'direct_chats_only',
    ],
    ['and no grants', autoReply, noChat('permissions'), 'not_a_reader'],

    [
      'a conversation reads by its own grant',
      conversation,
      reading(facts({ conversation: quote })),
      'conversation_grant',
    ],
    [
      'its standing grant is no substitute',
      conversation,
      reading(granting()),
      'not_in_conversation',
    ],
    [
      'another conversation’s is none',
      { ...conversation, instance: OTHER_INSTANCE },
      reading(facts({ conversation: quote })),
      'not_in_conversation',
    ],
    [
      'it ends with the conversation',
      conversation,
      reading(facts({ conversation: { ...quote, ended: true } })),
      'conversation_ended',
    ],
    ['nobody else reads by it', autoReply, reading(facts({ conversation: quote })), 'no_grant'],

    ['the observer reads its group', observer, group(true, { groupGrant: FULL }), 'standing_grant'],
    ['while it is observed', observer, group(false, { groupGrant: FULL }), 'not_observed'],
    ['while reading is granted', observer, group(true, { contactGrant: FULL }), 'no_grant'],
    ['and no other chat', observer, reading(granting()), 'other_chat'],

    ['the scheduler reads nothing', scheduler, reading(granting()), 'not_a_reader'],

    ['a token reads with scope and grant', reader, reading(granting()), 'standing_grant'],
    ['not without the scope', token('search:read'), reading(granting()), 'missing_scope'],
    ['not without the grant', reader, reading(facts()), 'no_grant'],
    ['search has its own scope', reader, reading(granting(), 'search'), 'missing_scope'],
    ['admin reads no messages', token('admin'), reading(granting()), 'missing_scope'],
    [
      'only its contacts',
      { ...reader, contacts: [ANA] },
      reading(granting()),
      'contact_not_on_token',
    ],
    ['its contacts', { ...reader, contacts: [PLUMBER] }, reading(granting()), 'standing_grant'],
    [
      'conversations by scope',
      token('conversations:read'),
      reading(facts(), 'conversations'),
      'token_scope',
    ],
    ['grants by scope', token('permissions:read'), noChat('permissions'), 'token_scope'],
    [
      'a limited token asks contact by contact',
      { ...token('permissions:read'), contacts: [PLUMBER] },
      noChat('permissions'),
      'contact_not_on_token',
    ],
  ])('%s', (_what, actor, known, reason) => {
    expect(canRead(actor, known)).toEqual(decisionFor(reason));
  });

  test('refuses unknown actors and kinds', () => {
    expect(canRead({ kind: 'stranger' } as unknown as Actor, reading(granting()))).toEqual(
      decisionFor('no_rule'),
    );
    expect(canRead(owner, { ...reading(granting()), what: 'keys' as ReadKind })).toEqual(
      decisionFor('not_a_reader'),
    );
  });
});
