// Search over received and sent messages with the shipped command, across a kill.
import type { SearchResponse } from '@relay/contract/api/search';
import { expect, test } from 'vitest';
import { eventually } from './gateway.ts';
import { BEN, type LinkedRelay, ME, startLinkedRelay } from './linked.ts';

test('messages are found by their words, with sender, chat, time, id and neighbours', {
  timeout: 120_000,
}, async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  const { phones, relay } = linked.demo;
  await phones.send(BEN, ME, 'Did you call the plumber?');
  const id = await phones.send(BEN, ME, 'The boiler lost pressure again');
  await arrived(linked, 'boiler pressure');
  await relay.send(`+${BEN}`, 'He comes on Thursday');
  await phones.sees(BEN, { text: 'He comes on Thursday', status: 'received' });
  await arrived(linked, 'thursday');

  const shown = await linked.command('search', 'boiler', 'pressure');
  expect({ exit: shown.exit, err: shown.err }).toEqual({ exit: 0, err: '' });
  expect(shown.out).toMatch(
    new RegExp(`^Ben {2}\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d {2}${id}$`, 'm'),
  );
  expect(shown.out).toContain('    Ben: Did you call the plumber?\n');
  expect(shown.out).toContain('  │ Ben: The boiler lost pressure again\n');
  expect(shown.out).toContain('    you: He comes on Thursday\n');

  const asked = await linked.command(
    'search',
    'boiler',
    '--in',
    'ben',
    '--since',
    'today',
    '--json',
  );
  expect(JSON.parse(asked.out)).toMatchObject({ hits: [{ message_id: id, from_name: 'Ben' }] });
  const mine = await linked.command('search', 'thursday', '--from', 'me', '--json');
  expect(JSON.parse(mine.out)).toMatchObject({ hits: [{ from_me: true, chat_name: 'Ben' }] });
  const before = await linked.command('search', 'boiler', '--until', 'yesterday', '--json');
  expect(JSON.parse(before.out)).toEqual({ sure: false, hits: [] });

  const nobody = await linked.command('search', 'boiler', '--in', 'Zoe');
  expect(nobody).toMatchObject({ exit: 4, out: '', err: expect.stringContaining('Zoe') });
  const never = await linked.command('search', 'boiler', '--since', 'soon');
  expect(never).toMatchObject({ exit: 2, out: '', err: expect.stringContaining('soon') });
});

test('no message is missing or duplicated in the search after a kill', {
  timeout: 120_000,
}, async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  const { demo } = linked;
  for (let n = 0; n < 20; n++) await demo.phones.send(BEN, ME, `heron ${n}`);
  await arrived(linked, 'heron');
  await demo.kill();
  for (let n = 20; n < 40; n++) await demo.phones.send(BEN, ME, `heron ${n}`);
  await demo.restart();
  const hits = await eventually('all of them', async () => {
    const found = await search(linked, 'heron');
    return found.length >= 40 ? found : undefined;
  });
  const texts = hits.map(({ text }) => text);
  expect(new Set(texts).size).toBe(40);
  expect(texts).toHaveLength(40);
});

async function search({ demo: { relay } }: LinkedRelay, q: string) {
  const query = new URLSearchParams({ q, limit: '100' });
  return (await relay.ok<SearchResponse>('GET', `/api/search?${query}`)).hits;
}

const arrived = (linked: LinkedRelay, q: string) =>
  eventually(`"${q}" to be found`, async () => (await search(linked, q))[0]);
