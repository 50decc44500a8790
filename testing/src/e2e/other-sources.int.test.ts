// Messages from other sources than WhatsApp, with the shipped command and a running daemon: an exported chat, and
// notifications that a phone forwards from an observed group that the account is in too.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SearchResponse } from '@relay/contract/api/search';
import { verifies } from '@relay/testing/verifies';
import { expect, onTestFinished, test } from 'vitest';
import { removeFolder } from '../remove-folder.ts';
import { eventually } from './gateway.ts';
import { BEN, type LinkedRelay, ME, startLinkedRelay } from './linked.ts';

const found = async ({ demo: { relay } }: LinkedRelay, q: string) => {
  const query = new URLSearchParams({ q, limit: '100' });
  return (await relay.ok<SearchResponse>('GET', `/api/search?${query}`)).hits;
};

test('an exported chat is searchable after one import, and not duplicated after two', {
  timeout: 120_000,
}, async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  const folder = await mkdtemp(join(tmpdir(), 'relay exports '));
  onTestFinished(() => removeFolder(folder));
  const file = join(folder, 'WhatsApp Chat with Aunt May.txt');
  const chat = [
    '13/03/2019, 09:41 - Aunt May: The heron is back at the pond',
    '13/03/2019, 09:42 - Me: Lovely!',
  ];
  await writeFile(file, chat.join('\n'));
  const first = await linked.command('memory', 'import', file);
  expect(first).toMatchObject({
    exit: 0,
    out: expect.stringContaining('2 added, 0 already stored'),
  });
  const again = await linked.command('memory', 'import', file, '--json');
  expect(JSON.parse(again.out)).toMatchObject({ added: 0, known: 2, new_chat: false });
  const hits = await eventually('the heron', async () => {
    const all = await found(linked, 'heron pond');
    return all.length > 0 ? all : undefined;
  });
  expect(hits).toMatchObject([{ from_name: 'Aunt May', chat_name: 'Aunt May', from_me: false }]);
  const open = await linked.command('memory', 'import', file, '--me', 'Nobody');
  expect(open).toMatchObject({ exit: 2, err: expect.stringContaining('Aunt May, Me') });
});

test('a phone forwards with its own token what the account receives too: each message is stored once', {
  timeout: 120_000,
}, async () => {
  verifies('004-IN-WEBHOOK');
  verifies('004-IN-DEDUPE');
  const linked = await startLinkedRelay({ database: 'beside' });
  const { phones, relay } = linked.demo;
  const group = await phones.group('Holliday', BEN, [ME]);
  await phones.send(BEN, group, 'Hello all');
  await eventually('the group', async () => (await found(linked, 'hello'))[0]);
  const observed = await linked.command('observe', 'add', 'Holliday', '--announced', '--json');
  expect(observed).toMatchObject({ exit: 0 });
  const { token } = JSON.parse((await linked.command('observe', 'token', '--json')).out);
  const authorization = `Bearer ${token}`;
  const forward = (text: string, over: object = {}) => {
    const timestamp = new Date().toISOString();
    const body = { sender: 'Ben', group: 'Holliday', text, timestamp, ...over };
    return relay.call('POST', '/api/ingest/notifications', body, { authorization });
  };

  expect(await forward('The flight is at three')).toMatchObject({
    status: 200,
    json: { taken: 1 },
  });
  await phones.send(BEN, group, 'The flight is at three');
  await phones.send(BEN, group, 'Dinner is at eight');
  await eventually('both', async () => (await found(linked, 'dinner'))[0]);
  expect(await forward('Dinner is at eight')).toMatchObject({ json: { taken: 0, repeated: 1 } });
  expect(await forward('Only on the phone')).toMatchObject({ json: { taken: 1 } });
  expect(await forward('Hi', { group: 'Neighbours' })).toMatchObject({ status: 404 });

  const sources = await eventually('one of each', async () => {
    const rows = await linked.query<{ body: string; source: string }>(
      `SELECT m.body, m.source FROM relay.messages m
         JOIN relay.observed_messages o ON o.message = m.id ORDER BY m.body`,
    );
    return rows.length === 3 && rows[2]?.source === 'whatsapp' ? rows : undefined;
  });
  expect(sources).toEqual([
    { body: 'Dinner is at eight', source: 'whatsapp' },
    { body: 'Only on the phone', source: 'notification' },
    { body: 'The flight is at three', source: 'whatsapp' },
  ]);
  const status = await relay.call('GET', '/api/status', undefined, { authorization });
  expect(status).toMatchObject({ status: 401 });
});
