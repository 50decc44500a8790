import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';

const source = join(import.meta.dirname, '../..');
const files = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter(({ name }) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((path) => !path.includes('/testing/'))
  .map((path) => ({ path: relative(source, path), text: readFileSync(path, 'utf8') }));
const where = (pattern: RegExp) =>
  files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
const writing = (table: string) =>
  new RegExp(`insertInto\\('${table}'\\)|INSERT INTO (relay\\.)?${table}\\b`);

test.each([
  ['outbox', 'pipeline/outbox/outbox.ts'],
  ['permits', 'pipeline/gate/gate.ts'],
  ['approvals', 'pipeline/gate/approval-store.ts'],
  ['holds', 'pipeline/gate/gate.ts'],
  ['grants', 'pipeline/gate/grant-store.ts'],
])('rows of %s are inserted in one file only', (table, place) => {
  expect(where(writing(table))).toEqual([place]);
});

test('grants are changed only by the gate and by a merge of contacts', () => {
  expect(where(/\bSET\b[^;]*\bcan_(read|reply|initiate) = /).sort()).toEqual([
    'pipeline/gate/grant-store.ts',
    'platform/db/merge/merge.ts',
  ]);
});

test('only the gate adds messages to the outbox, and only the deliverer passes them to the transport', () => {
  verifies('MEDIA-OUT-GATE');
  expect(where(/\bputMessage\(/).sort()).toEqual([
    'pipeline/gate/gate.ts',
    'pipeline/outbox/outbox.ts',
  ]);
  expect(where(/\bpermitMessage\(/)).toEqual(['pipeline/gate/gate.ts']);
  expect(where(/\btransport\.send\(/)).toEqual(['pipeline/outbox/deliverer.ts']);
  // Uploads too: only what is queued is built, and only the outbox has a builder.
  expect(where(/\bcapabilities\.build\b|\{ build \} = transport\.capabilities/)).toEqual([
    'pipeline/outbox/build.ts',
  ]);
  expect(where(/\bcreateBuilder\(/).sort()).toEqual(['message-pipeline.ts']);
  expect(where(/\b(prepareWAMessageMedia|waUploadToServer|generateWAMessage\w*)\b/)).toEqual([
    'whatsapp/outbound/content.ts',
  ]);
  expect(where(/\bsocket\.(sendMessage|relayMessage)\(/)).toSatisfy((places: string[]) =>
    places.every((place) => place.startsWith('whatsapp/outbound/')),
  );
});
