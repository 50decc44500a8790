import { plant } from '@relay/testing/erase/plant';
import { expect, test } from 'vitest';
import { verifyLedger } from '../../platform/db/ledger-chain.ts';
import { ERASURE_COLUMNS, personalColumns } from './columns.ts';
import { openRetentionFixture } from './testing/fixture.ts';

const fixture = await openRetentionFixture();
const { account, database, retention, sql, placesOf } = fixture;
const DAY = 86_400_000;

const EVERY_PLACE = Object.entries(ERASURE_COLUMNS)
  .flatMap(([table, columns]) => personalColumns(columns).map((column) => `${table}.${column}`))
  .sort();

test('erases a contact from every column of every table, and leaves others’ data unchanged', async () => {
  const cleo = await plant(sql, account, { at: new Date(Date.now() - DAY) });
  const before = await fixture.rows();
  const ben = await plant(sql, account, { group: cleo.group });
  const places = EVERY_PLACE.filter((place) => !place.startsWith('chats.'));
  expect(await placesOf(ben.tag)).toEqual(places);
  expect(await placesOf(cleo.tag)).toEqual(EVERY_PLACE);

  const preview = await retention.service.preview(ben.contact);
  const receipt = await retention.service.forget(ben.contact);
  expect(receipt.erased).toEqual(preview.counts);
  expect(receipt.erased).toMatchObject({ messages: 4, conversations: 1, digests: 1, grants: 1 });
  expect(await placesOf(ben.tag)).toEqual([]);
  expect(await placesOf(cleo.tag)).toEqual(EVERY_PLACE);

  const after = await fixture.rows();
  const lost = [...before].flatMap(([table, rows]) =>
    [...rows].filter((row) => !after.get(table)?.has(row)).map((row) => `${table}: ${row}`),
  );
  expect(lost.filter((row) => !/^(ledger_heads|daemon_runs)/.test(row))).toEqual([]);
  expect(await verifyLedger(database.kysely, account)).toBeNull();
});

test('erases a group from every column of every table', async () => {
  const { group, contact, tag } = await plant(sql, account);
  await retention.service.forget(group);
  await retention.service.forget(contact);
  expect(await placesOf(tag)).toEqual([]);
});

test('empties a token’s list when its only contact is erased, and keeps its recorded reads', async () => {
  const { contact, chat } = await plant(sql, account);
  const [token] = await sql<{ id: string }>(
    `INSERT INTO tokens (account_id, name, hash, scopes, contacts) VALUES ($1, 'one', 'one', '{}', $2)
     RETURNING id`,
    [account, [contact]],
  );
  await sql('INSERT INTO token_reads VALUES ($1, $2, $3)', [account, token?.id, chat]);
  await retention.service.forget(contact);
  expect(await sql('SELECT contacts FROM tokens WHERE id = $1', [token?.id])).toEqual([
    { contacts: [] },
  ]);
  expect(await sql('SELECT chat_id FROM token_reads WHERE token_id = $1', [token?.id])).toEqual([
    { chat_id: chat },
  ]);
});
