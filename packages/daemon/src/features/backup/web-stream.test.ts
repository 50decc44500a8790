import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { encryptArchive } from './encryption.ts';
import { toWebStream } from './web-stream.ts';

/** Errors that nothing caught; they would end the daemon. */
function uncaughtErrors(): readonly unknown[] {
  const errors: unknown[] = [];
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => {
    errors.push(error);
  });
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of before) process.on('uncaughtException', listener);
  });
  return errors;
}

async function settle(): Promise<void> {
  for (let n = 0; n < 20; n++) await setImmediate();
}

/** More chunks than a web stream keeps, so that some are always on their way. */
const chunks = () => Readable.from(Array.from({ length: 50 }, () => Buffer.alloc(60_000)));

test('a reader that leaves while a chunk is on its way causes no uncaught error', async () => {
  const uncaught = uncaughtErrors();
  for (let read = 0; read < 5; read++) {
    const source = chunks();
    const reader = toWebStream(source).getReader();
    for (let n = 0; n < read; n++) await reader.read();
    await settle();
    reader.read().catch(() => {});
    await reader.cancel();
    source.destroy(new Error('the connection was closed'));
    await settle();
  }
  expect(uncaught).toEqual([]);
});

test('a download of an encrypted archive that is broken off causes no uncaught error', async () => {
  const uncaught = uncaughtErrors();
  const download = await encryptArchive(chunks(), 'correct horse battery staple');
  download.destroy();
  await settle();
  expect(uncaught).toEqual([]);
});
