// Histories of messages, groups, grants, merges and deletions; then a client looks at the whole log. The test knows the
// person behind each event, independently of the ids that the log, the grants and the token have by then.
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '@relay/contract/webhooks/event-types';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type KnownChat, visibilityOf } from './visibility.ts';

const HISTORIES = 1_000;
const GROUPS = 2;

interface Happened {
  readonly type: WebhookEventType;
  /** Null if it is about the account, or in a group. */
  readonly person: number | null;
  readonly group: number | null;
  /** The contact as it was known then; each person has two ids until they are merged. */
  readonly alias: 0 | 1;
  readonly withChat: boolean;
}

/** The token is for the first person. */
const anyPerson = fc.constantFrom(0, 0, 0, 1, 2, 3);
const anyType = fc.constantFrom(...WEBHOOK_EVENT_TYPES);
const anyAlias = fc.constantFrom(0 as const, 1 as const);

const anyStep = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      kind: fc.constant('event'),
      type: anyType,
      person: anyPerson,
      alias: anyAlias,
      withChat: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('group event'),
      type: anyType,
      group: fc.nat(GROUPS - 1),
    }),
  },
  fc.record({ kind: fc.constant('account event'), type: anyType }),
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('grant'),
      person: anyPerson,
      alias: anyAlias,
      canRead: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constant('grant group'), group: fc.nat(GROUPS - 1), canRead: fc.boolean() }),
  fc.record({ kind: fc.constant('revoke'), person: anyPerson, alias: anyAlias }),
  fc.record({ kind: fc.constant('merge'), person: anyPerson }),
  fc.record({ kind: fc.constant('delete'), person: anyPerson, alias: anyAlias }),
);

type Step = Partial<Happened> & { readonly kind: string; readonly canRead?: boolean };

/** The state that the steps lead to, as the database would have it. */
function replay(steps: readonly Step[]) {
  const events: Happened[] = [];
  const grants = new Map<string, { person: number | null; canRead: boolean }>();
  const merged = new Set<number>();
  const deleted = new Set<string>();
  const contactOf = (person: number, alias: 0 | 1) =>
    `p${person}.${merged.has(person) ? 0 : alias}`;
  const merge = (person: number) => {
    if (merged.has(person)) return;
    const [kept, gone] = [grants.get(`p${person}.0`), grants.get(`p${person}.1`)];
    // A merge keeps what both allow.
    if (kept && gone) kept.canRead &&= gone.canRead;
    else grants.delete(`p${person}.0`);
    grants.delete(`p${person}.1`);
    merged.add(person);
  };
  for (const { kind, type = 'health', alias = 0, ...step } of steps) {
    const [person, group] = [step.person ?? 0, step.group ?? 0];
    const { canRead = false, withChat = true } = step;
    const contact = contactOf(person, alias);
    const event: Happened = { type, person: null, group: null, alias, withChat };
    const apply: Record<string, () => unknown> = {
      event: () => events.push({ ...event, person }),
      'group event': () => events.push({ ...event, group }),
      'account event': () => events.push(event),
      grant: () => deleted.has(contact) || grants.set(contact, { person, canRead }),
      'grant group': () => grants.set(`g${group}`, { person: null, canRead }),
      revoke: () => grants.delete(contact),
      merge: () => merge(person),
      delete: () => deleted.add(contact) && grants.delete(contact),
    };
    apply[kind]?.();
  }
  return { events, grants, contactOf, deleted };
}

type History = ReturnType<typeof replay>;

/** What the client with the first person's contact sees of each event, and whether the event is that person's. */
function look({ events, grants, contactOf, deleted }: History, mayRead: boolean) {
  const known: KnownChat[] = [...grants].map(([id, { person, canRead }]) => ({
    chat: `chat of ${id}`,
    contact: person === null ? null : id,
    canRead,
  }));
  const mine = contactOf(0, 0);
  const scopes = ['events:read', ...(mayRead ? ['messages:read'] : [])];
  return events.map(({ type, person, group, alias, withChat }) => {
    const contact = person === null ? null : contactOf(person, alias);
    const subject = contact ?? (group === null ? null : `g${group}`);
    const chat = subject === null || !withChat ? null : `chat of ${subject}`;
    return {
      type,
      grant: grants.get(mine),
      visibility: visibilityOf({ contacts: [mine], scopes }, type, { contact, chat }, known),
      isTheirs: person === 0 && contact === mine && !deleted.has(mine),
    };
  });
}

test('a client limited to one contact sees that contact’s events and nothing else', () => {
  let seen = 0;
  fc.assert(
    fc.property(
      fc.array(anyStep, { minLength: 20, maxLength: 80 }),
      fc.boolean(),
      (steps, mayRead) => {
        for (const { type, grant, visibility, isTheirs } of look(
          replay(steps as Step[]),
          mayRead,
        )) {
          const isVisible = visibility !== 'hidden';
          expect(isVisible).toBe(isTheirs && grant !== undefined);
          if (isVisible) seen += 1;
          const hasText = type.startsWith('message.') && grant?.canRead === true && mayRead;
          expect(visibility === 'text').toBe(isVisible && hasText);
        }
      },
    ),
    { numRuns: HISTORIES },
  );
  // The histories are not trivial: there was something to see.
  expect(seen).toBeGreaterThan(HISTORIES);
});

test('a client without a list of contacts sees chats with a record, and nothing without a chat', () => {
  const client = { contacts: null, scopes: ['events:read'] };
  const known = [{ chat: 'a group', contact: null, canRead: true }];
  const at = (chat: string | null) => ({ chat, contact: null });
  expect(visibilityOf(client, 'message.received', at('a group'), known)).toBe('codes');
  expect(visibilityOf(client, 'message.received', at('another'), known)).toBe('hidden');
  expect(visibilityOf(client, 'link.state', at(null), known)).toBe('hidden');
});

test('a client without the scope sees nothing', () => {
  const known = [{ chat: 'c', contact: 'p', canRead: true }];
  const client = { contacts: null, scopes: ['messages:read'] };
  expect(visibilityOf(client, 'message.received', { chat: 'c', contact: 'p' }, known)).toBe(
    'hidden',
  );
});
