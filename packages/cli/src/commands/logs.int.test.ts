import { appendFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { build, open, type Relay } from '../testing/command.ts';

let built: string;
let relay: Relay;
beforeAll(() => {
  built = build();
});
afterAll(() => removeFolder(built));
beforeEach(async () => {
  relay = await open(built);
});
afterEach(() => relay.end());

const line = (count: number) =>
  `${JSON.stringify({ level: 'info', time: '2020-01-01T10:00:00.000Z', msg: 'A line.', count })}\n`;

test('-n prints the last lines, also from rotated files', async () => {
  mkdirSync(relay.home);
  writeFileSync(join(relay.home, 'relay.1.log'), line(1) + line(2));
  writeFileSync(join(relay.home, 'relay.log'), line(3));
  const { out } = await relay.run('logs', '-n', '2');
  expect(out).toBe(
    '2020-01-01 10:00:00  info   A line.  count=2\n2020-01-01 10:00:00  info   A line.  count=3\n',
  );
});

test('shows the output of a daemon that ended before it had a log', async () => {
  mkdirSync(relay.home);
  expect((await relay.run('logs')).err).toContain('is empty.');
  writeFileSync(join(relay.home, 'daemon.out'), 'Error: no \u001b[31mluck\n');
  expect((await relay.run('logs')).out).toContain('Error: no ⟨U+001B⟩[31mluck');
});

test('-f prints every line once while the file is rotated', async () => {
  mkdirSync(relay.home);
  const live = join(relay.home, 'relay.log');
  writeFileSync(live, line(0));
  const child = relay.spawn('logs', '-f', '--json');
  let out = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  const counts = () =>
    out
      .split('\n')
      .filter(Boolean)
      .map((text) => JSON.parse(text).count);
  while (counts().length < 1) await sleep(20);
  for (let count = 1; count <= 120; count++) {
    if (count % 10 === 0) {
      for (const [from, to] of [
        ['relay.2.log', 'relay.3.log'],
        ['relay.1.log', 'relay.2.log'],
        ['relay.log', 'relay.1.log'],
      ] as const) {
        if (existsSync(join(relay.home, from))) {
          renameSync(join(relay.home, from), join(relay.home, to));
        }
      }
    }
    appendFileSync(live, line(count));
    await sleep(10);
  }
  await sleep(600);
  child.kill();
  expect(counts()).toEqual(Array.from({ length: 121 }, (_, index) => index));
});
