import { randomUUID } from 'node:crypto';
import { REPLY_MODES } from '@relay/contract/contacts/grant-options';
import { contactId } from '@relay/contract/ids';
import {
  type Alias,
  aliasBook,
  aliasKey,
  type Contact,
  contactWithAlias,
  linkAliases,
} from '@relay/core/contacts/alias';
import { type Grant, isGrantWithin } from '@relay/core/contacts/grants';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freshPeople, id, lid, phone } from './testing/people.ts';

const { grantOf, put, sight, sql, wipe } = await freshPeople();

const universe: Alias[] = [0, 1, 2, 3].flatMap((n) => [phone(n), lid(n)]);
const anyGrant = fc.option(
  fc.record<Grant>({
    canRead: fc.boolean(),
    canReply: fc.boolean(),
    replyMode: fc.constantFrom(...REPLY_MODES),
    canInitiate: fc.boolean(),
  }),
);
const anyContacts = fc
  .record({
    grants: fc.array(anyGrant, { maxLength: 5 }),
    deal: fc.array(fc.nat(6), { minLength: universe.length, maxLength: universe.length }),
  })
  .map(({ grants, deal }) =>
    grants
      .map(
        (grant, n): Contact => ({
          id: id(n),
          aliases: universe.filter((_, index) => deal[index] === n),
          grant,
        }),
      )
      .filter(({ aliases }) => aliases.length > 0),
  );
const anySightings = fc.array(fc.subarray(universe, { minLength: 1, maxLength: 3 }), {
  maxLength: 6,
});

test('after any sightings in any order the rows match the model, and no alias gains rights', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyContacts,
      anySightings,
      fc.boolean(),
      async (contacts, sightings, atOnce) => {
        await wipe();
        for (const contact of contacts) await put(contact);
        let book = aliasBook(contacts);
        for (const sighting of sightings)
          book = linkAliases(book, sighting, contactId(randomUUID())).book;

        if (atOnce) await sight(...sightings);
        else for (const sighting of sightings) await sight(sighting);

        expect(await partition()).toEqual(partitionOf(book.contacts.values()));
        const before = aliasBook(contacts);
        for (const one of universe) {
          const grant = await grantOf(one);
          expect(grant).toEqual(contactWithAlias(book, one)?.grant ?? null);
          const known = contactWithAlias(before, one);
          if (known !== null) expect(isGrantWithin(grant, known.grant)).toBe(true);
        }
      },
    ),
    { numRuns: 25 },
  );
});

const partitionOf = (contacts: Iterable<Pick<Contact, 'aliases'>>) =>
  [...contacts].map(({ aliases }) => aliases.map(aliasKey).toSorted().join(' ')).toSorted();

async function partition(): Promise<string[]> {
  const rows = await sql<{ aliases: string }>(
    `SELECT string_agg(kind || ':' || value, ' ' ORDER BY kind, value) AS aliases
     FROM contact_aliases GROUP BY contact_id`,
  );
  return rows.map((row) => row.aliases).toSorted();
}
