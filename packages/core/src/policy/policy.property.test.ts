import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { isGrantWithin, narrowestGrant } from '../contacts/grants.ts';
import type { Actor } from './actors.ts';
import {
  canRead,
  decide,
  isChatIntent,
  isSendingIntent,
  type ReadFacts,
  SCOPE_FOR,
  SCOPE_TO_READ,
} from './decide.ts';
import type { PolicyFacts } from './facts.ts';
import { DECISION_OUTCOMES, type Decision, REASONS, type ReasonCode } from './reasons.ts';
import {
  anyActor,
  anyChat,
  anyFacts,
  anyGrant,
  anyIntent,
  anyObserver,
  anyRead,
  anySending,
  anySession,
  anyToken,
  type Case,
  caseOf,
  grantChange,
  group,
} from './testing/arbitraries.ts';
import { assistant, OWN_CHAT } from './testing/cast.ts';

const numRuns = Number(process.env.PROPERTY_RUNS ?? 500);
vi.setConfig({ testTimeout: 60_000 + 5 * numRuns });

const rank = ({ outcome }: Decision): number => DECISION_OUTCOMES.indexOf(outcome);
const ask = ({ actor, intent, facts }: Case): Decision => decide(actor, intent, facts);
const holds = <T>(cases: fc.Arbitrary<T>, check: (value: T) => void): void => {
  fc.assert(fc.property(cases, check), { numRuns });
};

describe('the generated cases', () => {
  const decided = fc.sample(caseOf(anyActor, anyIntent), { numRuns: 10_000, seed: 1 }).map(ask);
  const read = fc
    .sample(fc.tuple(anyActor, anyRead), { numRuns: 1_000, seed: 1 })
    .map(([actor, facts]) => canRead(actor, facts));

  test.each(DECISION_OUTCOMES)('are decided %s often enough to be meaningful', (outcome) => {
    const share = decided.filter((decision) => decision.outcome === outcome).length;
    expect(share / decided.length).toBeGreaterThan(0.03);
  });

  test('reach every reason except those for unknown rules and those that the gate finds itself', () => {
    const met = new Set([...decided, ...read].map((decision) => decision.reason));
    expect(Object.keys(REASONS).filter((code) => !met.has(code as ReasonCode))).toEqual([
      'edited',
      'no_rule',
      'token_gone',
      'paused_by_another',
      'too_many_waiting',
      'unsendable',
      'no_such_file',
      'file_not_given',
      'no_such_message',
      'not_own_message',
      'too_late_to_change',
      'unknown_contact',
    ]);
  });
});

describe('decide', () => {
  test('returns a known reason for everything and never throws', () => {
    holds(caseOf(anyActor, anyIntent), (one) => {
      const decision = ask(one);
      expect(REASONS).toHaveProperty(decision.reason);
      expect(decision.outcome).toBe(REASONS[decision.reason].outcome);
      expect(ask(one)).toEqual(decision);
    });
  });

  test('sends nothing while on hold', () => {
    const held = anyFacts.map((facts) => ({ ...facts, hold: true }));
    holds(caseOf(anyActor, anySending, held), (one) => {
      expect(ask(one).outcome).toBe('deny');
    });
  });

  test('never allows the observer anything', () => {
    holds(caseOf(anyObserver, anyIntent), (one) => {
      expect(ask(one).outcome).toBe('deny');
    });
  });

  test('never allows a token more than its scopes', () => {
    holds(caseOf(anyToken, anyIntent), (one) => {
      const needed = SCOPE_FOR[one.intent.kind];
      const { actor } = one;
      if (actor.kind !== 'token' || (needed !== null && actor.scopes.includes(needed))) return;
      expect(ask(one).outcome).toBe('deny');
    });
  });

  test('never lets a limited token reach anyone else', () => {
    holds(caseOf(anyToken, anyIntent), (one) => {
      const limited = { ...one, actor: { ...one.actor, contacts: [] } as Actor };
      const { intent } = one;
      const endsItsOwn = intent.kind === 'cancel_schedule' && intent.own;
      if (intent.kind !== 'set_hold' && !endsItsOwn) expect(ask(limited).outcome).toBe('deny');
    });
  });

  test('ignores a direct grant in a group', () => {
    const inGroup = fc
      .record({ facts: anyFacts, chat: group })
      .map((r) => ({ ...r.facts, chat: r.chat }));
    holds(caseOf(anyActor, anyIntent, inGroup), (one) => {
      const without = { ...one, facts: { ...one.facts, contactGrant: null } };
      expect(ask(one)).toEqual(ask(without));
      const agent = one.actor.kind !== 'owner' && one.facts.schedule?.by !== 'owner';
      const nothing = { ...one, facts: { ...one.facts, groupGrant: null } };
      if (agent && isSendingIntent(one.intent)) expect(ask(nothing).outcome).toBe('deny');
    });
  });

  test('denies an unresolved identity', () => {
    const unresolved = fc
      .record({ facts: anyFacts, id: anyChat })
      .map(
        ({ facts, id }): PolicyFacts => ({ ...facts, chat: { kind: 'direct', id, contact: null } }),
      );
    holds(caseOf(anyActor, anyIntent.filter(isChatIntent), unresolved), (one) => {
      expect(ask(one).outcome).toBe('deny');
    });
  });

  test('keeps a session in its own chat', () => {
    holds(caseOf(anySession, anyIntent), (one) => {
      const bound =
        'chat' in one.actor && 'chat' in one.intent && one.actor.chat === one.intent.chat;
      if (!bound) expect(ask(one).outcome).toBe('deny');
    });
  });

  test('lets the owner widen a grant, the assistant ask for it, and refuses all others', () => {
    const unapproved = anyFacts.map((facts) => ({ ...facts, approval: null }));
    holds(caseOf(anyActor, grantChange('widen'), unapproved), (one) => {
      const { kind } = one.actor;
      const others = kind === 'assistant' ? 'needs_approval' : 'deny';
      expect(ask(one).outcome).toBe(kind === 'owner' ? 'allow' : others);
    });
  });

  test('requires approval before a run carries what it read to another chat', () => {
    const run = fc.oneof(fc.constant<Actor>(assistant), anySession, anyToken);
    holds(caseOf(run, anySending), (one) => {
      const facts: PolicyFacts = {
        ...one.facts,
        taint: { chats: [OWN_CHAT], outside: false },
        isDictated: false,
        approval: null,
      };
      if (facts.chat?.kind !== 'own')
        expect(decide(one.actor, one.intent, facts).outcome).not.toBe('allow');
    });
  });

  test('requires approval before an assistant that has read anything sends to anybody but the owner', () => {
    const tainted = fc
      .record({ facts: anyFacts, chats: fc.uniqueArray(anyChat, { minLength: 1, maxLength: 2 }) })
      .map(
        ({ facts, chats }): PolicyFacts => ({
          ...facts,
          taint: { chats, outside: false },
          isDictated: false,
          isAskedByOwner: false,
          approval: null,
        }),
      );
    holds(caseOf(fc.constant<Actor>(assistant), anySending, tainted), (one) => {
      if (one.facts.chat?.kind !== 'own') expect(ask(one).outcome).not.toBe('allow');
    });
  });

  test('lets an approval allow what was asked, never what was refused', () => {
    holds(caseOf(anyActor, anyIntent), (one) => {
      const unapproved = ask({ ...one, facts: { ...one.facts, approval: null } });
      if (unapproved.outcome !== 'needs_approval') expect(ask(one)).toEqual(unapproved);
    });
  });
});

describe('removing a permission', () => {
  const withFacts =
    (change: (facts: PolicyFacts) => Partial<PolicyFacts>) =>
    (one: Case): Case => ({ ...one, facts: { ...one.facts, ...change(one.facts) } });
  const removals: fc.Arbitrary<(one: Case) => Case> = fc.oneof(
    anyGrant.map((grant) =>
      withFacts((facts) => ({ contactGrant: narrowestGrant(facts.contactGrant, grant) })),
    ),
    anyGrant.map((grant) =>
      withFacts((facts) => ({ groupGrant: narrowestGrant(facts.groupGrant, grant) })),
    ),
    fc.constantFrom(
      withFacts(() => ({ conversation: null })),
      withFacts(({ conversation }) => ({
        conversation: conversation && { ...conversation, ended: true },
      })),
      withFacts(({ conversation }) => ({
        conversation: conversation && { ...conversation, firstContactApproved: false },
      })),
    ),
    anyToken.map(({ scopes, contacts }) => (one: Case): Case => {
      if (one.actor.kind !== 'token') return one;
      const kept = one.actor.scopes.filter((scope) => scopes.includes(scope));
      return {
        ...one,
        actor: { ...one.actor, scopes: kept, contacts: one.actor.contacts ?? contacts },
      };
    }),
  );

  test('never allows more actions', () => {
    holds(fc.tuple(caseOf(anyActor, anyIntent), removals), ([one, remove]) => {
      const less = remove(one);
      expect(isGrantWithin(less.facts.contactGrant, one.facts.contactGrant)).toBe(true);
      expect(rank(ask(less))).toBeLessThanOrEqual(rank(ask(one)));
    });
  });

  test('never allows more reads', () => {
    holds(fc.tuple(anyActor, anyRead, anyGrant, anyGrant), ([actor, facts, a, b]) => {
      const less: ReadFacts = {
        ...facts,
        contactGrant: narrowestGrant(facts.contactGrant, a),
        groupGrant: narrowestGrant(facts.groupGrant, b),
      };
      expect(rank(canRead(actor, less))).toBeLessThanOrEqual(rank(canRead(actor, facts)));
    });
  });
});

describe('canRead', () => {
  test('returns a decision with a known reason for everything', () => {
    holds(fc.tuple(anyActor, anyRead), ([actor, facts]) => {
      const { outcome, reason } = canRead(actor, facts);
      expect(outcome).toBe(REASONS[reason].outcome);
      expect(outcome).not.toBe('needs_approval');
    });
  });

  test('never lets a token read more than its scopes', () => {
    holds(fc.tuple(anyToken, anyRead), ([actor, facts]) => {
      if (actor.scopes.includes(SCOPE_TO_READ[facts.what])) return;
      expect(canRead(actor, facts).outcome).toBe('deny');
    });
  });

  test('keeps sessions and the observer in their own chat', () => {
    holds(fc.tuple(fc.oneof(anySession, anyObserver), anyRead), ([actor, facts]) => {
      if (facts.chat?.id !== actor.chat) expect(canRead(actor, facts).outcome).toBe('deny');
    });
  });

  test('ignores a direct grant when reading in a group', () => {
    holds(fc.tuple(anyActor, anyRead, group), ([actor, facts, chat]) => {
      const inGroup = { ...facts, chat };
      expect(canRead(actor, inGroup)).toEqual(canRead(actor, { ...inGroup, contactGrant: null }));
    });
  });
});
