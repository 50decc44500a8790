// Random actors, intents and facts for property tests of the policy. They come from a small set, so that chats,
// contacts and hashes often match and allowing is common. Only tests import this.

import { REPLY_MODES } from '@relay/contract/contacts/grant-options';
import type { ContactId } from '@relay/contract/ids';
import { SCOPES } from '@relay/contract/policy/scopes';
import fc from 'fast-check';
import type { Grant } from '../../contacts/grants.ts';
import type { Actor } from '../actors.ts';
import { isChatIntent, READ_KINDS, type ReadFacts } from '../decide.ts';
import type { ChatFacts, PolicyFacts } from '../facts.ts';
import type { Intent } from '../intents.ts';
import {
  ANA,
  ANAS_CHAT,
  answer,
  assistant,
  FAMILY,
  notifier,
  OTHER_INSTANCE,
  OWN_CHAT,
  owner,
  PLUMBER,
  PLUMBERS_CHAT,
  QUOTE,
  scheduler,
  token,
} from './cast.ts';

const kind = <const K extends string>(...kinds: [K, ...K[]]) => fc.constantFrom(...kinds);
const rarely = fc.nat(5).map((n) => n === 0);
const mostly = rarely.map((rare) => !rare);
export const anyChat = fc.constantFrom(
  PLUMBERS_CHAT,
  PLUMBERS_CHAT,
  PLUMBERS_CHAT,
  ANAS_CHAT,
  FAMILY,
);
const anyContact = fc.constantFrom(PLUMBER, PLUMBER, PLUMBER, ANA);
const anyInstance = fc.constantFrom(QUOTE, QUOTE, QUOTE, OTHER_INSTANCE);
const anyHash = fc.constantFrom('a', 'a', 'a', 'b');

export const anyToken = fc.record({
  kind: kind('token'),
  token: fc.constant(token().token),
  scopes: fc.subarray([...SCOPES]),
  contacts: fc.option(fc.subarray([PLUMBER, ANA]), { freq: 2 }),
});
export const anyObserver = fc.record({ kind: kind('observer'), chat: anyChat });
export const anySession = fc.oneof(
  fc.record({ kind: kind('auto_reply'), chat: anyChat }),
  fc.record({ kind: kind('conversation'), instance: anyInstance, chat: anyChat }),
);
export const anyActor: fc.Arbitrary<Actor> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<Actor>(owner, assistant, assistant, scheduler, notifier),
  },
  { weight: 2, arbitrary: anySession },
  { weight: 2, arbitrary: anyToken },
  anyObserver,
);

const opening = { chat: anyChat, hash: anyHash, firstContact: rarely };
export const anySending: fc.Arbitrary<Intent> = fc.oneof(
  fc.record({ kind: kind('send_message'), ...opening }),
  fc.record({ kind: kind('react', 'mark_read'), chat: anyChat, hash: anyHash }),
);
export const grantChange = (...changes: ['widen' | 'narrow', ...('widen' | 'narrow')[]]) =>
  fc.record({
    kind: kind('manage_grant'),
    of: fc.oneof(
      fc.record({ kind: kind('contact'), contact: anyContact }),
      fc.record({ kind: kind('group'), chat: fc.constant(FAMILY) }),
    ),
    change: kind(...changes),
    hash: anyHash,
  });
export const anyIntent: fc.Arbitrary<Intent> = fc.oneof(
  { weight: 5, arbitrary: anySending },
  fc.record({ kind: kind('schedule_message', 'create_conversation'), ...opening }),
  grantChange('widen', 'narrow'),
  fc.record({ kind: kind('cancel_schedule'), own: fc.boolean(), hash: anyHash }),
  fc.record({ kind: kind('set_hold'), on: fc.boolean() }),
  fc.constant(answer),
);

export const anyGrant: fc.Arbitrary<Grant | null> = fc.option(
  fc.record({
    canRead: mostly,
    canReply: mostly,
    replyMode: fc.constantFrom(...REPLY_MODES),
    canInitiate: fc.boolean(),
  }),
  { freq: 5 },
);
const direct: fc.Arbitrary<ChatFacts> = fc.record({
  kind: kind('direct'),
  id: anyChat,
  contact: fc.option<ContactId>(anyContact, { freq: 8 }),
});
export const group: fc.Arbitrary<ChatFacts> = fc.record({
  kind: kind('group'),
  id: anyChat,
  observed: fc.boolean(),
});
const own: fc.Arbitrary<ChatFacts> = fc.record({ kind: kind('own'), id: fc.constant(OWN_CHAT) });
export const anyFacts: fc.Arbitrary<PolicyFacts> = fc.record({
  hold: rarely,
  chat: fc.option(fc.oneof({ weight: 4, arbitrary: direct }, group, own), { freq: 10 }),
  contactGrant: anyGrant,
  groupGrant: anyGrant,
  conversation: fc.option(
    fc.record({
      instance: anyInstance,
      chat: anyChat,
      contact: anyContact,
      ended: rarely,
      firstContactApproved: fc.boolean(),
    }),
    { freq: 5 },
  ),
  timeLocked: rarely,
  firstContactsOff: rarely,
  unregistered: rarely,
  taint: fc.record({
    chats: fc.oneof(fc.constant([]), fc.uniqueArray(anyChat, { maxLength: 2 })),
    outside: rarely,
  }),
  isAskedByOwner: fc.boolean(),
  withinCadence: fc.boolean(),
  needsConfirmation: rarely,
  isLate: rarely,
  hasHiddenCharacters: rarely,
  quotesPrivate: rarely,
  isDictated: rarely,
  isSpoken: rarely,
  schedule: fc.option(
    fc.record({
      chat: anyChat,
      hash: anyHash,
      by: kind('owner', 'agent'),
      clientRevoked: fc.boolean(),
      approved: fc.boolean(),
    }),
    { freq: 5 },
  ),
  approval: fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    fc.record({ hash: anyHash, spent: rarely }),
  ),
});

export interface Case {
  actor: Actor;
  intent: Intent;
  facts: PolicyFacts;
}
/** Most cases are about the chat that the intent targets. */
export const caseOf = (
  actors: fc.Arbitrary<Actor>,
  intents: fc.Arbitrary<Intent>,
  known: fc.Arbitrary<PolicyFacts> = anyFacts,
): fc.Arbitrary<Case> =>
  fc.tuple(actors, intents, known, mostly).map(([actor, intent, facts, aligned]) => {
    if (!aligned || !isChatIntent(intent)) return { actor, intent, facts };
    const aim = <T extends object>(part: T | null): T | null =>
      part && { ...part, ...('id' in part ? { id: intent.chat } : { chat: intent.chat }) };
    return {
      actor: 'chat' in actor ? { ...actor, chat: intent.chat } : actor,
      intent,
      facts: {
        ...facts,
        chat: aim(facts.chat),
        conversation: aim(facts.conversation),
        schedule: aim(facts.schedule),
      },
    };
  });

export const anyRead: fc.Arbitrary<ReadFacts> = fc
  .record({ facts: anyFacts, what: fc.constantFrom(...READ_KINDS) })
  .map(({ facts, what }) => ({ ...facts, what }));
