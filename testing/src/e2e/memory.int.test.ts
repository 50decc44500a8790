// Search by meaning end to end, with the shipped command: a scripted endpoint replaces the model, so this tests the
// flow of the texts, not the quality.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MemoryStatus } from '@relay/contract/api/memory';
import { expect, test } from 'vitest';
import { eventually } from './gateway.ts';
import { BEN, ME, startLinkedRelay } from './linked.ts';

test('an endpoint is tried, chosen after confirmation, sent every text, and switched off again', {
  timeout: 180_000,
}, async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  const { demo } = linked;
  const command = (...args: string[]) => linked.command(...args);
  await demo.phones.send(BEN, ME, 'The boiler lost pressure again');
  await demo.phones.send(BEN, ME, '🎉🎉');
  const status = () => demo.relay.ok<MemoryStatus>('GET', '/api/memory');
  await eventually(
    'it is found by its words',
    async () => (await status()).documents > 0 || undefined,
  );
  expect(await status()).toMatchObject({ embeddings: 'off', vectors: 0 });

  const endpoint = ['endpoint', '--base-url', `${demo.model.url}/v1`, '--model', 'scripted'];
  const unasked = await command('memory', 'embeddings', ...endpoint);
  expect(unasked).toMatchObject({ exit: 2, err: expect.stringContaining('--yes') });
  expect(unasked.out).toContain(`is sent to ${new URL(demo.model.url).host}`);
  expect(await status()).toMatchObject({ embeddings: 'off' });

  const chosen = await command('memory', 'embeddings', ...endpoint, '--yes');
  expect({ exit: chosen.exit, err: chosen.err }).toMatchObject({ exit: 0 });
  const done = await eventually('every text has its vector', async () => {
    const now = await status();
    return now.waiting === 0 && now.vectors > 0 ? now : undefined;
  });
  expect(done).toMatchObject({ model: 'scripted', dims: 256, index: 'process', failure: null });
  // Not the one without words.
  expect(done).toMatchObject({ documents: 2, vectors: 1 });

  await demo.phones.send(BEN, ME, 'The plumber comes on Thursday');
  await eventually(
    'a new one too',
    async () => (await status()).vectors > done.vectors || undefined,
  );
  const doctor = await command('doctor', '--json');
  expect(doctor.out).toContain('texts searchable by meaning (scripted)');
  const settings = JSON.parse(await readFile(join(demo.home, 'relay.config.json'), 'utf8'));
  expect(settings.memory).toMatchObject({ embeddings: 'endpoint', endpoint_model: 'scripted' });

  const wrong = ['endpoint', '--base-url', 'http://127.0.0.1:9/v1', '--model', 'scripted', '--yes'];
  expect(await command('memory', 'embeddings', ...wrong)).toMatchObject({ exit: 8 });
  expect(await status()).toMatchObject({ embeddings: 'endpoint', failure: null });

  expect(await command('memory', 'embeddings', 'off')).toMatchObject({ exit: 0 });
  expect((await command('memory')).out).toContain('off (search by words only)');
});
