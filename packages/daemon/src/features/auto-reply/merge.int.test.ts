// Tests merging two contacts with sessions: one session remains with the lines of both, and waiting lines are answered
// once.
import { lidAlias, phoneAlias } from '@relay/core/contacts/alias';
import { eventually } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { readContactPage } from '../../platform/db/contact-directory.ts';
import { resolveSightings } from '../../platform/db/contacts.ts';
import { type Contact, MAY, openAutoReplyFixture } from './testing/fixture.ts';

const fixture = await openAutoReplyFixture();

let lids = 9_000_000;
/** A contact known by a number, and the same person known by a LID. */
async function twice(): Promise<[Contact, Contact, () => Promise<unknown>]> {
  const known = await fixture.contact({ name: 'Mom' });
  const lid = lidAlias(String(++lids));
  const phone = phoneAlias(known.phone);
  if (lid === null || phone === null) throw new Error('not an alias');
  const other = await fixture.contact({ grant: null });
  await fixture.sql("UPDATE contact_aliases SET kind = 'lid', value = $2 WHERE contact_id = $1", [
    other.contact,
    lid.value,
  ]);
  await fixture.granting(other, MAY);
  const merge = () =>
    fixture.database.kysely
      .transaction()
      .execute((tx) => resolveSightings(tx, fixture.account, [[phone, lid]]));
  return [known, other, merge];
}

const sessions = async (...of: Contact[]) =>
  fixture.sql<{ id: string; key: string }>(
    "SELECT id, key FROM sessions WHERE kind = 'auto_reply' AND key = ANY($1)",
    [of.map(({ contact }) => contact)],
  );

test('keeps the lines of both sessions in the order of arrival', async () => {
  const [one, other, merge] = await twice();
  for (const [who, text] of [
    [one, 'a'],
    [other, 'b'],
    [one, 'c'],
  ] as const) {
    await fixture.writes(who, text);
    await fixture.rest();
  }
  await merge();
  const left = await sessions(one, other);
  expect(left).toHaveLength(1);
  const kept = left[0]?.key === one.contact ? one : other;
  expect(await fixture.said(kept)).toEqual(
    ['a', 'b', 'c'].flatMap((text) => [`user: ${text}`, `assistant: Re: ${text}`]),
  );
  const [grant] = await fixture.sql('SELECT session_id FROM grants WHERE contact_id = $1', [
    kept.contact,
  ]);
  expect(grant).toEqual({ session_id: left[0]?.id });
});

test.each(['one', 'other'])('answers the waiting line of %s once', async (whose) => {
  const [one, other, merge] = await twice();
  for (const who of [one, other]) {
    await fixture.writes(who, 'before');
    await fixture.rest();
  }
  await fixture.hold();
  await fixture.writes(whose === 'one' ? one : other, 'afterwards');
  await fixture.rest();
  await fixture.sql('DELETE FROM holds');
  await merge();
  await fixture.autoReply.start(fixture.compose);
  await fixture.rest();
  const said = [...(await fixture.said(one)), ...(await fixture.said(other))];
  expect(said.filter((line) => line === 'assistant: Re: afterwards')).toHaveLength(1);
  expect(await fixture.sql('SELECT 1 FROM session_messages WHERE waiting')).toEqual([]);
});

test('keeps the longer of two cooldowns', async () => {
  const [one, other, merge] = await twice();
  for (const who of [one, other]) {
    await fixture.writes(who, 'hello');
    await fixture.rest();
  }
  const [soon, late] = [1, 5].map((hours) => new Date(Date.now() + hours * 3_600_000));
  for (const [who, until] of [
    [one, late],
    [other, soon],
  ] as const) {
    await fixture.sql(
      "UPDATE sessions SET resting_until = $2, rests = 1, rest_reason = 'rapid' WHERE key = $1",
      [who.contact, until],
    );
  }
  await merge();
  const { contacts: people } = await readContactPage(fixture.database.kysely, fixture.account, {
    kind: 'person',
    limit: 500,
  });
  expect(people.flatMap(({ resting_until: until }) => until ?? [])).toEqual([late?.toISOString()]);
});

test.each(['one', 'other'])(
  'answers lines of both once each when contacts merge during both answers (first: %s)',
  async (first) => {
    verifies('IDENTITY-MERGE-CARRIES');
    const [one, other, merge] = await twice();
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    fixture.model(async ({ lines }) => {
      const text = lines.at(-1)?.content ?? '';
      begun.push(text);
      if (begun.length <= 2) await gate.promise;
      return `Re: ${text}`;
    });
    const writers = first === 'one' ? [one, other] : [other, one];
    for (const [n, who] of writers.entries()) {
      await fixture.writes(who, `line ${n}`);
      await eventually(() => begun.length === n + 1);
    }
    await merge();
    gate.resolve();
    await fixture.rest();
    fixture.model(({ lines }) => `Re: ${lines.at(-1)?.content ?? ''}`);
    expect([...(await fixture.said(one)), ...(await fixture.said(other))]).toEqual([
      'user: line 0',
      'assistant: Re: line 0',
      'user: line 1',
      'assistant: Re: line 1',
    ]);
    expect(await fixture.sql('SELECT 1 FROM session_messages WHERE waiting')).toEqual([]);
  },
);
