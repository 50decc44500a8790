// Tests the import of exported chats with a real database: what is found, what is asked, and that nothing is stored
// twice.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChatImportReport, ImportQuery } from '@relay/contract/api/imports';
import { removeFolder } from '@relay/testing/remove-folder';
import { freshStore, times } from '@relay/testing/store';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { takeLease } from '../../platform/db/lease.ts';
import { createImportService } from './import.ts';
import { zipOf } from './testing/zip.ts';

// PROPERTY_RUNS requests the long run.
const LINES = process.env.PROPERTY_RUNS ? 100_000 : 10_000;

const store = await freshStore();
const { sql, account, database } = store;
const db = database.kysely;
const lease = await takeLease(db, account, randomUUID());
if (lease === null) throw new Error('a fresh account is free');
const home = await mkdtemp(join(tmpdir(), 'relay-import-'));
afterAll(() => removeFolder(home));
const now = () => new Date('2026-11-15T12:00:00Z');
const imports = createImportService({
  db,
  lease,
  now,
  zone: 'Europe/Berlin',
  home,
  onStored: () => {},
});

beforeEach(() => sql('TRUNCATE messages, message_keys, chats, contacts CASCADE'));

type Chunks = readonly (string | Buffer)[];

async function* bytes(chunks: Chunks): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

async function bring(
  file: Chunks,
  query: Partial<ImportQuery> = {},
): Promise<ChatImportReport & { steps: number }> {
  const named = { file: 'WhatsApp Chat with Ana.txt', ...query };
  const { news, end } = await imports.begin(bytes(file), named);
  let steps = 0;
  try {
    for await (const one of news) {
      if (one.type === 'done') return { ...one.report, steps };
      steps += 1;
    }
  } finally {
    await end();
  }
  throw new Error('it did not end');
}

const refusal = (file: Chunks, query: Partial<ImportQuery> = {}) =>
  bring(file, query).then(
    () => 'taken',
    ({ code }: { code: string }) => code,
  );

const stored = () =>
  sql(
    'SELECT body, from_me, sender_name, sender_id IS NOT NULL AS known, sent_at, source FROM messages ORDER BY sent_at, id',
  );
const count = async (from: string) =>
  (await sql<{ count: number }>(`SELECT count(*)::int AS count FROM ${from}`))[0]?.count;

const CHAT = [
  '13/03/2026, 09:41 - Messages and calls are end-to-end encrypted.',
  '13/03/2026, 09:41 - Ana: Did you book the flight?',
  '13/03/2026, 09:42 - Me Myself: Yes!',
  'At three.',
  '13/03/2026, 09:42 - Ana: <Media omitted>',
  '13/03/2026, 09:43 - Ana: ok',
  '13/03/2026, 09:43 - Ana: ok',
  '',
].join('\n');

test('makes a chat searchable with authors and times, and returns a report', async () => {
  const { chat_id, steps: _, ...report } = await bring([CHAT]);
  expect(report).toEqual({
    chat_name: 'Ana',
    new_chat: true,
    lines: 7,
    messages: 4,
    added: 4,
    known: 0,
    people: 2,
    from: '2026-03-13T08:41:00.000Z',
    to: '2026-03-13T08:43:00.000Z',
    skipped: { system: 1, media: 1 },
  });
  expect(await stored()).toMatchObject([
    { body: 'Did you book the flight?', from_me: false, sender_name: 'Ana', known: true },
    { body: 'Yes!\nAt three.', from_me: true, sender_name: null },
    { body: 'ok', source: 'import' },
    { body: 'ok' },
  ]);
  expect(await count("relay_jobs.job WHERE name = 'route'").catch(() => 0)).toBe(0);
  expect(await sql('SELECT id, kind FROM chats')).toEqual([{ id: chat_id, kind: 'direct' }]);
  expect(existsSync(join(home, 'imports'))).toBe(false);
});

test('adds nothing for the same chat again, and only new messages for a longer export', async () => {
  await bring([CHAT]);
  expect(await bring(times(CHAT.length, (n) => CHAT.charAt(n)))).toMatchObject({
    added: 0,
    known: 4,
    new_chat: false,
  });
  const longer = `12/03/2026, 23:00 - Ana: Hello\n${CHAT}13/03/2026, 10:00 - Ana: Bye\n`;
  expect(await bring([longer])).toMatchObject({ added: 2, known: 4 });
  expect(await count('messages')).toBe(6);
  expect(await count('chats')).toBe(1);
});

test('does not add messages that were received from WhatsApp or exported by another phone', async () => {
  const { chat_id } = await bring([CHAT.split('\n').slice(0, 2).join('\n')]);
  await sql("SELECT ensure_message_month('2026-03-15')");
  for (const [at, body, mine] of [
    ['2026-03-13T08:43:20Z', 'ok 👍', false],
    ['2026-03-13T08:42:10Z', 'Yes! At three.', true],
  ]) {
    await sql(
      `INSERT INTO messages (account_id, sent_at, chat_id, sender_id, from_me, message_id, kind, body)
       SELECT $1, $2, id, CASE WHEN $4 THEN NULL ELSE contact_id END, $4, $5, 'conversation', $3 FROM chats WHERE id = $6`,
      [account, at, body, mine, randomUUID(), chat_id],
    );
  }
  expect(await bring([CHAT])).toMatchObject({ added: 1, known: 3 });
  const apple = CHAT.replace(/^(\S+), (\d\d:\d\d) - /gm, '[$1, $2:07] ');
  expect(await bring([apple])).toMatchObject({ added: 0, known: 4 });
  // Sent twice, so it is stored twice.
  expect(await count("messages WHERE body LIKE 'ok%'")).toBe(2);
});

test('asks about what is ambiguous, and stores nothing', async () => {
  const open = CHAT.replaceAll('13/03', '02/03');
  expect(await refusal([open])).toBe('export_date_order');
  expect(await refusal([CHAT], { file: '_chat.txt' })).toBe('export_chat');
  expect(await refusal([CHAT], { file: 'WhatsApp Chat with Mum.txt' })).toBe('export_me');
  expect(await refusal([CHAT], { me: 'Zoe' })).toBe('export_me');
  expect(await refusal(['Dear diary,\n'])).toBe('export_invalid');
  expect(await refusal([''])).toBe('export_invalid');
  const group = `${CHAT}13/03/2026, 10:00 - Ben: Hi\n`;
  expect(await refusal([group], { file: 'WhatsApp Chat - Trip.txt' })).toBe('export_me');
  expect(await count('messages')).toBe(0);
  expect(await count('chats')).toBe(0);
  expect(await bring([open], { date_order: 'mdy' })).toMatchObject({
    from: '2026-02-03T08:41:00.000Z',
  });
  expect(await bring([group], { file: 'WhatsApp Chat - Trip.txt', me: 'me myself' })).toMatchObject(
    { chat_name: 'Trip', people: 3 },
  );
  expect(await sql("SELECT kind FROM chats WHERE subject = 'Trip'")).toEqual([{ kind: 'group' }]);
});

test('finds a known chat by name or number, and never guesses', async () => {
  for (const [name, number] of [
    ['Ana', '4915112345678'],
    ['Ben', '4915112345679'],
    ['Ben', '4915112345680'],
  ]) {
    const id = randomUUID();
    await sql('INSERT INTO contacts (account_id, id, display_name) VALUES ($1, $2, $3)', [
      account,
      id,
      name,
    ]);
    await sql("INSERT INTO contact_aliases VALUES ($1, 'phone', $2, $3)", [account, number, id]);
  }
  expect(await bring([CHAT])).toMatchObject({ new_chat: false, chat_name: 'Ana' });
  expect(await bring([CHAT], { chat: '+49 151 12345678', me: 'Me Myself' })).toMatchObject({
    added: 0,
  });
  expect(await refusal([CHAT], { chat: 'Ben', me: 'Me Myself' })).toBe('contact_ambiguous');
  expect(await bring([CHAT], { chat: '+49 151 99999999', me: 'Me Myself' })).toMatchObject({
    added: 4,
    new_chat: true,
  });
  expect(await count('contacts')).toBe(4);
});

test('reads only the chat’s text of a .zip, and refuses a malicious one', async () => {
  const zip = await zipOf({ 'IMG-1.jpg': 'not read', 'notes.txt': 'x', 'a/_chat.txt': CHAT });
  expect(await bring([zip], { file: 'WhatsApp Chat - Ana.zip' })).toMatchObject({
    added: 4,
    chat_name: 'Ana',
  });
  expect(await refusal([await zipOf({ 'a.jpg': 'x' })])).toBe('export_invalid');
  expect(await refusal([await zipOf({ '../../_chat.txt': CHAT })])).toBe('export_invalid');
  expect(await refusal([zip.subarray(0, zip.length - 30)])).toBe('export_invalid');
  expect(await refusal([await zipOf({ '_chat.txt': CHAT }, { claims: 300 * 1024 ** 2 })])).toBe(
    'export_invalid',
  );
});

test('leaves whole batches when interrupted, and continues when repeated', async () => {
  const long = [
    '13/01/2026, 00:00 - Ana: begin',
    ...times(3_500, (n) => `14/01/2026, ${String(n % 24).padStart(2, '0')}:00 - Ana: line ${n}`),
  ].join('\n');
  const query = { file: 'WhatsApp Chat with Ana.txt' };
  const { news, end } = await imports.begin(bytes([long]), query);
  expect(await refusal([CHAT])).toBe('export_busy');
  for await (const one of news) {
    expect(one.type).toBe('progress');
    break;
  }
  await end();
  expect(await count('messages')).toBe(1_000);
  expect(existsSync(join(home, 'imports'))).toBe(false);
  expect(await bring([long])).toMatchObject({ added: 2_501, known: 1_000 });
});

test('imports many thousands of lines, and adds none of them a second time', {
  timeout: 240_000,
}, async () => {
  const begin = Date.UTC(2024, 0, 1);
  // Spread over most of a year, so that many monthly partitions are filled.
  const apart = (500_000 / LINES) * 60_000;
  const two = (n: number) => String(n).padStart(2, '0');
  const lines = times(LINES, (n) => {
    const at = new Date(begin + n * apart);
    const date = `${two(at.getUTCDate())}/${two(at.getUTCMonth() + 1)}/${at.getUTCFullYear()}`;
    const words = n % 10 === 0 ? 'ok' : `message ${n} about the ${n % 7 === 0 ? 'boat' : 'house'}`;
    return `${date}, ${two(at.getUTCHours())}:${two(at.getUTCMinutes())} - ${n % 2 ? 'Ana' : 'Me'}: ${words}\n`;
  });
  const report = await bring([lines.join('')], { zone: 'UTC' });
  const to = new Date(begin + (LINES - 1) * apart).toISOString();
  expect(report).toMatchObject({ lines: LINES, added: LINES, to });
  expect(report.steps).toBe(LINES / 1_000);
  expect(await bring([lines.join('')], { zone: 'UTC' })).toMatchObject({
    added: 0,
    known: LINES,
  });
  expect(await count('messages')).toBe(LINES);
});
