import { describe } from 'vitest';
import { BARE_FACTS, type PolicyFacts } from './facts.ts';
import type { Intent } from './intents.ts';
import {
  ANAS_CHAT,
  agentsSchedule,
  answer,
  assistant,
  autoReply,
  cancel,
  facts,
  granting,
  narrow,
  OWN_CHAT,
  owner,
  PLUMBERS_CHAT,
  schedule,
  scheduler,
  send,
  token,
  widen,
} from './testing/cast.ts';
import { decisions } from './testing/decisions.ts';

const sender = token('messages:send');
const readAna = { chats: [ANAS_CHAT], outside: false };
const readPlumber = { chats: [PLUMBERS_CHAT], outside: false };
const first = send({ firstContact: true });

describe('Rule of Two', () => {
  decisions([
    ['read nothing: sends', assistant, send(), granting(), 'standing_grant'],
    [
      'the assistant read this chat: asks, for it knows more than this chat',
      assistant,
      send(),
      granting({}, { taint: readPlumber }),
      'read_then_send',
    ],
    [
      'a client read this chat: answers it',
      sender,
      send(),
      granting({}, { taint: readPlumber }),
      'standing_grant',
    ],
    [
      'an auto-reply read its chat: answers it',
      autoReply,
      send(),
      granting({}, { taint: readPlumber }),
      'standing_grant',
    ],
    [
      'read another, but the owner dictated it: sends',
      assistant,
      send(),
      granting({}, { taint: readAna, isDictated: true }),
      'standing_grant',
    ],
    [
      'dictated, but not granted: refused',
      assistant,
      send(),
      facts({ taint: readAna, isDictated: true }),
      'no_grant',
    ],
    [
      'dictated for later: asks',
      assistant,
      schedule,
      granting({}, { taint: readAna, isDictated: true }),
      'read_then_schedule',
    ],
    [
      'a grant that is narrowed after reading: asks',
      assistant,
      narrow,
      facts({ taint: readAna }),
      'read_then_grant',
    ],
    [
      'read the text of a program: asks',
      assistant,
      send(),
      granting({}, { taint: { chats: [], outside: false, clients: ['a token'] } }),
      'read_then_send',
    ],
    ['a schedule is cancelled', assistant, cancel, facts(), 'narrowing'],
    [
      'cancelled after reading: asks',
      assistant,
      cancel,
      facts({ taint: readAna }),
      'read_then_cancel',
    ],
    [
      'a program cancels its own schedule, whatever it read',
      token('schedules:write'),
      { ...cancel, own: true } as Intent,
      facts({ taint: readAna }),
      'narrowing',
    ],
    ['nobody else’s', token('schedules:write'), cancel, facts(), 'not_its_own'],
    [
      'text with hidden characters: asks',
      assistant,
      send(),
      granting({}, { hasHiddenCharacters: true }),
      'hidden_characters',
    ],
    ['read another: asks', assistant, send(), granting({}, { taint: readAna }), 'read_then_send'],
    [
      'read something outside: asks',
      assistant,
      send(),
      granting({}, { taint: { chats: [], outside: true } }),
      'read_then_send',
    ],
    [
      'scheduling after any reading asks',
      assistant,
      schedule,
      granting({}, { taint: readPlumber }),
      'read_then_schedule',
    ],
    ['the owner is never in doubt', owner, send(), facts({ taint: readAna }), 'owner'],
  ]);
});

describe('the owner’s own chat', () => {
  const own = facts({ chat: { kind: 'own', id: OWN_CHAT }, taint: readAna });
  const toOwner = send({ chat: OWN_CHAT, firstContact: true });
  const remind = { ...schedule, chat: OWN_CHAT } as Intent;
  decisions([
    ['the assistant reports what it read', assistant, toOwner, own, 'own_chat'],
    ['is never a first contact', assistant, toOwner, { ...own, timeLocked: true }, 'own_chat'],
    ['a reminder is set', assistant, remind, facts({ chat: own.chat }), 'own_chat'],
    ['a reminder is set after reading, too', assistant, remind, own, 'own_chat'],
    ['a token has no business there', sender, toOwner, own, 'no_grant'],
    [
      'a reminder comes',
      scheduler,
      toOwner,
      { ...own, taint: BARE_FACTS.taint, schedule: { ...agentsSchedule, chat: OWN_CHAT } },
      'own_chat',
    ],
  ]);
});

describe('where the owner is asked before each send', () => {
  const asking = { needsConfirmation: true };
  const yes = { hash: 'hash of what is shown', spent: false };
  decisions([
    ['a send asks', assistant, send(), granting({}, asking), 'confirm'],
    ['a schedule asks', assistant, schedule, granting({}, asking), 'confirm'],
    [
      'with the yes it goes',
      assistant,
      send(),
      granting({}, { ...asking, approval: yes }),
      'approved',
    ],
    ['without a grant no yes helps', assistant, send(), facts(asking), 'no_grant'],
    [
      'a stronger reason is the one that is given',
      assistant,
      send(),
      granting({}, { ...asking, taint: readAna }),
      'read_then_send',
    ],
    [
      'nothing is asked before the owner is told something',
      assistant,
      send({ chat: OWN_CHAT }),
      facts({ ...asking, chat: { kind: 'own', id: OWN_CHAT } }),
      'own_chat',
    ],
    ['the owner is not asked whether they mean it', owner, send(), facts(asking), 'owner'],
    [
      'what takes effect nowhere else is not asked about',
      assistant,
      narrow,
      facts(asking),
      'narrowing',
    ],
  ]);
});

describe('first contacts', () => {
  const locked = granting({}, { timeLocked: true });
  const off = granting({}, { firstContactsOff: true });
  const unregistered = granting({}, { unregistered: true });
  const yes = { hash: 'hash of what is shown', spent: false };
  decisions([
    ['are asked about', assistant, first, granting(), 'first_contact'],
    [
      'are asked about for a schedule',
      assistant,
      { ...schedule, firstContact: true } as Intent,
      granting(),
      'first_contact',
    ],
    ['are the owner’s to make', owner, first, facts(), 'owner'],
    ['freeze while time-locked', assistant, first, { ...locked, approval: yes }, 'time_locked'],
    ['freeze for the owner too', owner, first, locked, 'time_locked'],
    [
      'end where none are allowed',
      assistant,
      first,
      { ...off, approval: yes },
      'first_contact_cap',
    ],
    [
      'never reach a number that nobody has registered',
      owner,
      first,
      { ...unregistered, approval: yes },
      'not_on_whatsapp',
    ],
    ['known contacts are served while locked', assistant, send(), locked, 'standing_grant'],
    ['known contacts are served where none are allowed', assistant, send(), off, 'standing_grant'],
    ['known contacts are never looked up', assistant, send(), unregistered, 'standing_grant'],
    [
      'without a grant the grant is the reason',
      assistant,
      first,
      facts({ timeLocked: true }),
      'no_grant',
    ],
    [
      'may be scheduled while locked',
      owner,
      { ...schedule, firstContact: true } as Intent,
      locked,
      'owner',
    ],
  ]);
});

describe('approvals', () => {
  const draft = (approval: PolicyFacts['approval']): PolicyFacts =>
    granting({ replyMode: 'draft' }, { approval });
  const hash = 'hash of what is shown';
  decisions([
    ['let exactly that through', autoReply, send(), draft({ hash, spent: false }), 'approved'],
    [
      'not with one byte changed',
      autoReply,
      send({ hash: `${hash}!` }),
      draft({ hash, spent: false }),
      'approval_differs',
    ],
    ['not twice', autoReply, send(), draft({ hash, spent: true }), 'approval_spent'],
    [
      'never lift a refusal',
      autoReply,
      send(),
      facts({ approval: { hash, spent: false } }),
      'no_grant',
    ],
    [
      'let the assistant widen',
      assistant,
      widen,
      facts({ approval: { hash: 'hash of the new grant', spent: false } }),
      'approved',
    ],
    [
      'let no one else widen',
      token('permissions:write'),
      widen,
      facts({ approval: { hash: 'hash of the new grant', spent: false } }),
      'widening_owner_only',
    ],
    ['are the owner’s to give', owner, answer, facts(), 'owner'],
    ['are not the assistant’s to give', assistant, answer, facts(), 'owner_only'],
  ]);
});
