import { describe } from 'vitest';
import { BARE_FACTS, type PolicyFacts } from './facts.ts';
import type { Intent } from './intents.ts';
import {
  ANAS_CHAT,
  answer,
  assistant,
  autoReply,
  conversation,
  create,
  FAMILY,
  FULL,
  facts,
  granting,
  holdOn,
  markRead,
  narrow,
  observer,
  owner,
  PLUMBERS_CHAT,
  quote,
  react,
  schedule,
  send,
  token,
  widen,
} from './testing/cast.ts';
import { decisions } from './testing/decisions.ts';

const sender = token('messages:send');
const inGroup = (overrides: Partial<PolicyFacts> = {}, observed = false): PolicyFacts =>
  facts({ chat: { kind: 'group', id: FAMILY, observed }, ...overrides });
const toGroup = send({ chat: FAMILY });
const inQuote = facts({ conversation: quote });

describe('hold', () => {
  const held = granting({}, { hold: true, conversation: quote });
  decisions([
    ['stops the owner', owner, send(), held, 'hold'],
    ['stops an auto-reply', autoReply, send(), held, 'hold'],
    ['stops a conversation', conversation, send(), held, 'hold'],
    ['stops a reaction', assistant, react, held, 'hold'],
    ['stops a read mark', assistant, markRead, held, 'hold'],
    [
      'stops what was approved',
      assistant,
      send(),
      { ...held, approval: { hash: 'hash of what is shown', spent: false } },
      'hold',
    ],
    ['lets the owner narrow a grant', owner, narrow, held, 'owner'],
    ['lets a message be scheduled', assistant, schedule, held, 'standing_grant'],
    ['is the owner’s to set', owner, holdOn, facts(), 'owner'],
    ['is set by a token with admin', token('admin'), holdOn, facts(), 'token_scope'],
    ['is not the assistant’s to set', assistant, holdOn, facts(), 'owner_only'],
  ]);
});

describe('the target', () => {
  const unresolved = granting({}, { chat: { kind: 'direct', id: PLUMBERS_CHAT, contact: null } });
  decisions([
    ['unknown: refused', owner, send(), BARE_FACTS, 'unknown_chat'],
    ['unresolved: refused to the assistant', assistant, send(), unresolved, 'unresolved_identity'],
    ['unresolved: refused to the owner', owner, send(), unresolved, 'unresolved_identity'],
    [
      'facts about another chat decide nothing',
      assistant,
      send({ chat: ANAS_CHAT }),
      granting(),
      'wrong_facts',
    ],
  ]);
});

describe('groups', () => {
  decisions([
    [
      'a direct grant does not apply',
      assistant,
      toGroup,
      inGroup({ contactGrant: FULL }),
      'no_grant',
    ],
    [
      'the group’s own grant does',
      assistant,
      toGroup,
      inGroup({ groupGrant: FULL }),
      'standing_grant',
    ],
    [
      'a group’s grant does not apply in a direct chat',
      assistant,
      send(),
      facts({ groupGrant: FULL }),
      'no_grant',
    ],
    [
      'no auto-reply in a group',
      { ...autoReply, chat: FAMILY },
      toGroup,
      inGroup({ groupGrant: FULL, contactGrant: FULL }),
      'direct_chats_only',
    ],
    [
      'no conversation with a group',
      owner,
      { ...create, chat: FAMILY } as Intent,
      inGroup(),
      'direct_chats_only',
    ],
    ['the owner writes where he likes', owner, toGroup, inGroup(), 'owner'],
  ]);
});

describe('an observed group', () => {
  const silent = inGroup({ groupGrant: FULL }, true);
  const asked = {
    ...silent,
    isAskedByOwner: true,
    withinCadence: true,
    taint: { chats: [FAMILY], outside: false },
  };
  decisions([
    ['the observer never sends', observer, toGroup, asked, 'observer_is_silent'],
    ['the observer changes no grant', observer, narrow, asked, 'observer_is_silent'],
    ['the assistant stays silent', assistant, toGroup, silent, 'observed_group'],
    ['a token stays silent', sender, toGroup, asked, 'observed_group'],
    ['the owner’s question is answered', assistant, toGroup, asked, 'standing_grant'],
    [
      'not with what was read elsewhere',
      assistant,
      toGroup,
      { ...asked, taint: { chats: [FAMILY, ANAS_CHAT], outside: false } },
      'read_then_send',
    ],
    [
      'not more often than the group bears',
      assistant,
      toGroup,
      { ...asked, withinCadence: false },
      'group_rests',
    ],
    ['no reaction', assistant, { ...react, chat: FAMILY } as Intent, asked, 'observed_group'],
    ['no read mark', assistant, { ...markRead, chat: FAMILY } as Intent, asked, 'observed_group'],
  ]);
});

describe('sessions', () => {
  decisions([
    [
      'an auto-reply is bound to its chat',
      { ...autoReply, chat: ANAS_CHAT },
      send(),
      granting(),
      'other_chat',
    ],
    [
      'a conversation is bound to its chat',
      { ...conversation, chat: ANAS_CHAT },
      send(),
      inQuote,
      'other_chat',
    ],
    ['an auto-reply schedules nothing', autoReply, schedule, granting(), 'session_only_replies'],
    ['an auto-reply starts nothing', autoReply, create, granting(), 'session_only_replies'],
    ['an auto-reply grants nothing', autoReply, widen, granting(), 'session_only_replies'],
    ['a conversation narrows nothing', conversation, narrow, inQuote, 'session_only_replies'],
    ['a session approves nothing', conversation, answer, inQuote, 'session_only_replies'],
  ]);
});
