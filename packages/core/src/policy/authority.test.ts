import { describe, expect, test } from 'vitest';
import type { Actor } from './actors.ts';
import { decide } from './decide.ts';
import type { PolicyFacts } from './facts.ts';
import type { Intent } from './intents.ts';
import { decisionFor } from './reasons.ts';
import {
  ANA,
  ANAS_CHAT,
  agentsSchedule,
  answer,
  assistant,
  autoReply,
  conversation,
  create,
  FAMILY,
  FULL,
  facts,
  granting,
  markRead,
  narrow,
  OTHER_INSTANCE,
  owner,
  PLUMBER,
  quote,
  react,
  schedule,
  scheduler,
  send,
  token,
  widen,
} from './testing/cast.ts';
import { decisions } from './testing/decisions.ts';

const sender = token('messages:send');
const inGroup = (overrides: Partial<PolicyFacts> = {}, observed = false): PolicyFacts =>
  facts({ chat: { kind: 'group', id: FAMILY, observed }, ...overrides });
const toGroup = send({ chat: FAMILY });
const readAna = { chats: [ANAS_CHAT], outside: false };
const first = send({ firstContact: true });
const inQuote = facts({ conversation: quote });

describe('standing grants', () => {
  decisions([
    ['nothing granted: the assistant may not write', assistant, send(), facts(), 'no_grant'],
    ['nothing granted: nobody is auto-replied', autoReply, send(), facts(), 'no_grant'],
    ['granted: an auto-reply goes out', autoReply, send(), granting(), 'standing_grant'],
    ['granted: the assistant writes', assistant, send(), granting(), 'standing_grant'],
    ['granted: a token writes', sender, send(), granting(), 'standing_grant'],
    ['read only: no reply', autoReply, send(), granting({ canReply: false }), 'no_reply_grant'],
    ['reply only: no auto-reply', autoReply, send(), granting({ canRead: false }), 'no_read_grant'],
    [
      'reply only: may be written to',
      assistant,
      send(),
      granting({ canRead: false }),
      'standing_grant',
    ],
    [
      'reply only: no read mark',
      assistant,
      markRead,
      granting({ canRead: false }),
      'no_read_grant',
    ],
    ['a draft waits', autoReply, send(), granting({ replyMode: 'draft' }), 'draft'],
    [
      'a draft of the assistant waits',
      assistant,
      send(),
      granting({ replyMode: 'draft' }),
      'draft',
    ],
    ['a drafted reaction waits', autoReply, react, granting({ replyMode: 'draft' }), 'draft'],
    ['the owner needs no grant', owner, send(), facts(), 'owner'],
  ]);
});

describe('a conversation’s own grant', () => {
  decisions([
    ['lets its session write', conversation, send(), inQuote, 'conversation_grant'],
    ['lets its session react', conversation, react, inQuote, 'conversation_grant'],
    ['is no one else’s: auto-reply', autoReply, send(), inQuote, 'no_grant'],
    ['is no one else’s: assistant', assistant, send(), inQuote, 'no_grant'],
    [
      'ends with it, whatever else is granted',
      conversation,
      send(),
      granting({}, { conversation: { ...quote, ended: true } }),
      'conversation_ended',
    ],
    [
      'is not another instance’s',
      { ...conversation, instance: OTHER_INSTANCE },
      send(),
      inQuote,
      'not_in_conversation',
    ],
    [
      'is not another contact’s',
      conversation,
      send(),
      facts({ conversation: { ...quote, contact: ANA } }),
      'not_in_conversation',
    ],
    ['is needed', conversation, send(), granting(), 'not_in_conversation'],
    ['asks before a first contact', conversation, first, inQuote, 'first_contact'],
    [
      'writes first where the owner knew',
      conversation,
      first,
      facts({ conversation: { ...quote, firstContactApproved: true } }),
      'conversation_grant',
    ],
    [
      'does not carry what was read elsewhere',
      conversation,
      send(),
      { ...inQuote, taint: readAna },
      'read_then_send',
    ],
  ]);
});

describe('starting a conversation', () => {
  const canNot = granting({ canInitiate: false });
  decisions([
    ['the owner starts one', owner, create, facts(), 'owner'],
    ['the assistant starts one where allowed', assistant, create, granting(), 'standing_grant'],
    ['the assistant asks where not', assistant, create, canNot, 'start_conversation'],
    ['the assistant asks about strangers', assistant, create, facts(), 'start_conversation'],
    ['a token is refused', token('conversations:write'), create, canNot, 'no_initiate_grant'],
    ['a token and a stranger', token('conversations:write'), create, facts(), 'no_grant'],
    [
      'a first contact is asked about',
      token('conversations:write'),
      { ...create, firstContact: true } as Intent,
      granting(),
      'first_contact',
    ],
    [
      'after reading it asks',
      assistant,
      create,
      granting({}, { taint: readAna }),
      'read_then_start',
    ],
    ['drafts do not matter', assistant, create, granting({ replyMode: 'draft' }), 'standing_grant'],
  ]);
});

describe('changing grants', () => {
  const scoped = token('permissions:write');
  decisions([
    ['the owner widens', owner, widen, facts(), 'owner'],
    ['the assistant asks to widen', assistant, widen, facts(), 'widening'],
    [
      'after reading the reason says so',
      assistant,
      widen,
      facts({ taint: readAna }),
      'read_then_grant',
    ],
    ['the assistant narrows at once', assistant, narrow, facts(), 'narrowing'],
    ['a token never widens', scoped, widen, granting(), 'widening_owner_only'],
    ['a token narrows', scoped, narrow, granting(), 'narrowing'],
    ['a token without the scope does not', sender, narrow, granting(), 'missing_scope'],
    [
      'a token narrows only its contacts',
      { ...scoped, contacts: [ANA] },
      narrow,
      granting(),
      'contact_not_on_token',
    ],
    ['the scheduler does not', scheduler, narrow, granting(), 'scheduler_only_sends'],
  ]);
});

describe('tokens', () => {
  decisions([
    ['no scope, no message', token('messages:read'), send(), granting(), 'missing_scope'],
    ['admin is no scope to send', token('admin'), send(), granting(), 'missing_scope'],
    ['a scope is no grant', sender, send(), facts(), 'no_grant'],
    [
      'limited to others',
      { ...sender, contacts: [ANA] },
      send(),
      granting(),
      'contact_not_on_token',
    ],
    ['limited to this', { ...sender, contacts: [PLUMBER] }, send(), granting(), 'standing_grant'],
    [
      'limited to contacts: no group',
      { ...sender, contacts: [PLUMBER] },
      toGroup,
      inGroup({ groupGrant: FULL }),
      'contact_not_on_token',
    ],
    [
      'after reading, elsewhere asks',
      sender,
      send(),
      granting({}, { taint: readAna }),
      'read_then_send',
    ],
    ['schedules with its scope', token('schedules:write'), schedule, granting(), 'standing_grant'],
    ['never approves', token('admin'), answer, facts(), 'owner_only'],
  ]);
});

describe('the scheduler', () => {
  const due = (
    grant: PolicyFacts['contactGrant'],
    more: Partial<typeof agentsSchedule> = {},
  ): PolicyFacts => facts({ contactGrant: grant, schedule: { ...agentsSchedule, ...more } });
  decisions([
    ['sends nothing of its own', scheduler, send(), granting(), 'no_schedule'],
    ['sends what an agent scheduled', scheduler, send(), due(FULL), 'standing_grant'],
    ['not once the grant is gone', scheduler, send(), due(null, { approved: true }), 'no_grant'],
    [
      'not once its program is gone, whoever said yes to it',
      scheduler,
      send(),
      due(FULL, { clientRevoked: true, approved: true }),
      'program_gone',
    ],
    ['sends what the owner scheduled', scheduler, send(), due(null, { by: 'owner' }), 'scheduled'],
    ['not other words', scheduler, send({ hash: 'other' }), due(FULL), 'schedule_changed'],
    ['not to another chat', scheduler, send(), due(FULL, { chat: ANAS_CHAT }), 'schedule_changed'],
    [
      'asks where replies are drafts',
      scheduler,
      send(),
      due({ ...FULL, replyMode: 'draft' }),
      'draft',
    ],
    [
      'does not ask twice',
      scheduler,
      send(),
      due({ ...FULL, replyMode: 'draft' }, { approved: true }),
      'scheduled',
    ],
  ]);
});

describe('unknown actors and intents', () => {
  test.each(['stranger', '__proto__', 'toString', ''])('the actor %s is refused', (kind) => {
    expect(decide({ kind } as unknown as Actor, send(), granting())).toEqual(
      decisionFor('no_rule'),
    );
  });

  test.each(['place_call', '__proto__', ''])(
    'the intent %s is refused, even to the owner',
    (kind) => {
      expect(decide(owner, { kind } as unknown as Intent, facts())).toEqual(decisionFor('no_rule'));
    },
  );
});
