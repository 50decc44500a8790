import { REPLY_MODES } from '@relay/contract/contacts/grant-options';
import { type ContactId, contactId } from '@relay/contract/ids';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import {
  type Alias,
  type AliasBook,
  aliasBook,
  aliasKey,
  type Contact,
  contactWithAlias,
  lidAlias,
  linkAliases,
  mergeContacts,
  phoneAlias,
} from './alias.ts';
import { type Grant, isGrantWithin } from './grants.ts';

const numRuns = Number(process.env.PROPERTY_RUNS ?? 500);
vi.setConfig({ testTimeout: 60_000 + 5 * numRuns });
const ALL: Grant = { canRead: true, canReply: true, replyMode: 'auto', canInitiate: true };
const READ: Grant = { canRead: true, canReply: false, replyMode: 'draft', canInitiate: false };

const id = (n: number): ContactId =>
  contactId(`00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`);
const phone = (n: number): Alias => phoneAlias(`1415555000${n}`)!;
const lid = (n: number): Alias => lidAlias(`9000${n}`)!;
const contact = (n: number, grant: Grant | null, ...aliases: Alias[]): Contact => ({
  id: id(n),
  aliases,
  grant,
});

describe('merging two contacts', () => {
  test('keeps all aliases and only what both were granted', () => {
    const merged = mergeContacts(contact(1, ALL, phone(1)), contact(2, READ, lid(1), phone(1)));
    expect(merged.contact).toEqual(contact(1, READ, phone(1), lid(1)));
  });

  test('does not carry a grant over to an identity without one', () => {
    const { contact: merged, merge } = mergeContacts(
      contact(1, ALL, phone(1)),
      contact(2, null, lid(1)),
    );
    expect(merged.grant).toBeNull();
    expect(merge).toEqual({ into: id(1), from: id(2), grant: null, withdrawn: [ALL] });
  });

  test('withdraws nothing if both had the same grant', () => {
    expect(
      mergeContacts(contact(1, READ, phone(1)), contact(2, READ, lid(1))).merge.withdrawn,
    ).toEqual([]);
  });

  test('keeps the lower id, whichever comes first', () => {
    const [a, b] = [contact(1, ALL, phone(1)), contact(2, READ, lid(1))];
    expect(mergeContacts(b, a).contact.id).toBe(mergeContacts(a, b).contact.id);
  });
});

describe('learning aliases', () => {
  test('an unknown alias belongs to nobody', () => {
    expect(contactWithAlias(aliasBook(), lid(1))).toBeNull();
  });

  test('aliases of an unknown person create a contact without a grant', () => {
    const { book, merges } = linkAliases(aliasBook(), [phone(1), lid(1)], id(9));
    expect(contactWithAlias(book, lid(1))).toEqual(contact(9, null, phone(1), lid(1)));
    expect(merges).toEqual([]);
  });

  test('a LID first met together with a granted number is that contact', () => {
    const { book, merges } = linkAliases(
      aliasBook([contact(1, ALL, phone(1))]),
      [lid(1), phone(1)],
      id(9),
    );
    expect(contactWithAlias(book, lid(1))).toEqual(contact(1, ALL, phone(1), lid(1)));
    expect(merges).toEqual([]);
    expect(book.contacts.size).toBe(1);
  });

  test('three contacts that turn out to be one are merged into the oldest', () => {
    const before = aliasBook([
      contact(3, ALL, phone(3)),
      contact(2, ALL, lid(2)),
      contact(1, READ, lid(1)),
    ]);
    const { book, merges } = linkAliases(before, [phone(3), lid(2), lid(1)], id(9));
    expect([...book.contacts.keys()]).toEqual([id(1)]);
    expect(merges.map((merge) => [merge.into, merge.from])).toEqual([
      [id(1), id(2)],
      [id(1), id(3)],
    ]);
    expect(contactWithAlias(book, phone(3))?.grant).toEqual(READ);
  });

  test('leaves the given book unchanged', () => {
    const before = aliasBook([contact(1, ALL, phone(1)), contact(2, null, lid(1))]);
    linkAliases(before, [phone(1), lid(1)], id(9));
    expect(contactWithAlias(before, phone(1))?.grant).toEqual(ALL);
    expect(before.contacts.size).toBe(2);
  });
});

const universe: Alias[] = [0, 1, 2, 3, 4, 5].flatMap((n) => [phone(n), lid(n)]);
const anyGrant = fc.option(
  fc.record<Grant>({
    canRead: fc.boolean(),
    canReply: fc.boolean(),
    replyMode: fc.constantFrom(...REPLY_MODES),
    canInitiate: fc.boolean(),
  }),
);
/** Up to six contacts with random grants; no alias has two owners. */
const anyContacts: fc.Arbitrary<Contact[]> = fc
  .record({
    grants: fc.array(anyGrant, { maxLength: 6 }),
    deal: fc.array(fc.nat(8), { minLength: universe.length, maxLength: universe.length }),
  })
  .map(({ grants, deal }) =>
    grants
      .map((grant, n) => contact(n, grant, ...universe.filter((_, index) => deal[index] === n)))
      .filter(({ aliases }) => aliases.length > 0),
  );
const anySighting = fc.subarray(universe, { minLength: 1, maxLength: 3 });
const sightingsInTwoOrders = fc
  .array(anySighting, { maxLength: 12 })
  .chain((list) =>
    fc.tuple(
      fc.constant(list),
      fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
    ),
  );

const learnAll = (start: readonly Contact[], sightings: readonly (readonly Alias[])[]): AliasBook =>
  sightings.reduce(
    (book, aliases, index) => linkAliases(book, aliases, id(100 + index)).book,
    aliasBook(start),
  );

const partition = (groups: Iterable<readonly Alias[]>): string[] =>
  [...groups].map((group) => group.map(aliasKey).sort().join(' ')).sort();

/** The same answer by brute force: join groups that share an alias until none do. */
function reference(groups: readonly (readonly Alias[])[]): Alias[][] {
  const joined: Alias[][] = [];
  for (const group of groups) {
    const touching = joined.filter((other) => other.some((alias) => group.includes(alias)));
    for (const other of touching) joined.splice(joined.indexOf(other), 1);
    joined.push([...new Set([...touching.flat(), ...group])]);
  }
  return joined;
}

describe('random sightings and merges', () => {
  test('end in the same partition whatever the order', () => {
    fc.assert(
      fc.property(anyContacts, sightingsInTwoOrders, (start, [sightings, shuffled]) => {
        const expected = partition(
          reference([...start.map((contact) => contact.aliases), ...sightings]),
        );
        for (const order of [sightings, shuffled]) {
          const people = [...learnAll(start, order).contacts.values()];
          expect(partition(people.map((person) => person.aliases))).toEqual(expected);
        }
      }),
      { numRuns },
    );
  });

  test('keep every alias with exactly one contact', () => {
    fc.assert(
      fc.property(anyContacts, sightingsInTwoOrders, (start, [sightings]) => {
        const book = learnAll(start, sightings);
        const held = [...book.contacts.values()].flatMap((person) =>
          person.aliases.map((alias) => [aliasKey(alias), person.id] as const),
        );
        expect(new Map(held)).toEqual(book.owners);
        expect(held).toHaveLength(book.owners.size);
      }),
      { numRuns },
    );
  });

  test('never allow an alias more than before', () => {
    fc.assert(
      fc.property(anyContacts, sightingsInTwoOrders, (start, [, order]) => {
        let book = aliasBook(start);
        for (const [index, aliases] of order.entries()) {
          const next = linkAliases(book, aliases, id(100 + index)).book;
          for (const person of book.contacts.values()) {
            for (const alias of person.aliases) {
              expect(
                isGrantWithin(contactWithAlias(next, alias)?.grant ?? null, person.grant),
              ).toBe(true);
            }
          }
          book = next;
        }
      }),
      { numRuns },
    );
  });

  test('leave a contact no more than any contact merged into it had', () => {
    fc.assert(
      fc.property(anyContacts, sightingsInTwoOrders, (start, [, order]) => {
        const book = learnAll(start, order);
        for (const { aliases, grant } of start) {
          for (const alias of aliases) {
            expect(isGrantWithin(contactWithAlias(book, alias)?.grant ?? null, grant)).toBe(true);
          }
        }
        for (const person of book.contacts.values()) {
          if (person.grant === null) continue;
          const sources = start.filter(({ aliases }) =>
            aliases.some((alias) => person.aliases.includes(alias)),
          );
          expect(sources.length).toBeGreaterThan(0);
          for (const source of sources)
            expect(isGrantWithin(person.grant, source.grant)).toBe(true);
        }
      }),
      { numRuns },
    );
  });

  test('report as withdrawn exactly the grants that a merge narrowed', () => {
    fc.assert(
      fc.property(anyGrant, anyGrant, (a, b) => {
        const { merge } = mergeContacts(contact(1, a, phone(1)), contact(2, b, lid(1)));
        const narrowed = [a, b].filter((held) => !isGrantWithin(held, merge.grant));
        expect(merge.withdrawn).toEqual(narrowed);
      }),
      { numRuns },
    );
  });
});
