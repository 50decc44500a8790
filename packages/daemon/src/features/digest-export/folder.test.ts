import { appendFile, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestSegments, segmentLine } from '@relay/core/observer/digest/export-segments';
import { removeFolder } from '@relay/testing/remove-folder';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dropDigestLines, putDigestLines } from './folder.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relay-outside-'));
  file = join(folder, 'deeper', '2026-03-12.jsonl');
});
afterEach(() => removeFolder(folder));

const lines = (digest: string, ...texts: string[]) =>
  texts.map((text) => JSON.stringify({ digest_id: digest, text }));
const text = () => readFile(file, 'utf8').catch(() => '');
const saved = async () =>
  (await text())
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).text);

test('appends lines once, however often, in a file that only the owner can read', async () => {
  await putDigestLines(file, 'a', lines('a', 'one', 'two'));
  await putDigestLines(file, 'b', lines('b', 'three'));
  const { ino } = await stat(file);
  await putDigestLines(file, 'a', lines('a', 'one', 'two'));
  await putDigestLines(file, 'c', lines('c', 'four'));
  expect(await saved()).toEqual(['one', 'two', 'three', 'four']);
  expect((await stat(file)).ino).toBe(ino);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('replaces the lines of a digest that was created again', async () => {
  await putDigestLines(file, 'a', lines('a', 'one', 'two'));
  await putDigestLines(file, 'b', lines('b', 'three'));
  await putDigestLines(file, 'a', lines('a', 'better'));
  expect(await saved()).toEqual(['three', 'better']);
});

test('repairs a line that was cut off by a kill, and keeps those of others', async () => {
  await putDigestLines(file, 'a', lines('a', 'one'));
  await appendFile(file, 'not ours, not JSON\n{"digest_id":"b","te');
  await putDigestLines(file, 'b', lines('b', 'two'));
  expect(await text()).toBe(
    `${lines('a', 'one')[0]}\nnot ours, not JSON\n${lines('b', 'two')[0]}\n`,
  );
});

test('removes erased lines, and the file with its last line', async () => {
  await putDigestLines(file, 'a', lines('a', 'one', 'two'));
  await putDigestLines(file, 'b', lines('b', 'three'));
  expect(await dropDigestLines(file, new Set(['a', 'x']))).toBe(2);
  expect(await saved()).toEqual(['three']);
  expect(await dropDigestLines(file, new Set(['a']))).toBe(0);
  expect(await dropDigestLines(file, new Set(['b']))).toBe(1);
  await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await dropDigestLines(file, new Set(['b']))).toBe(0);
});

test('keeps each digest once and complete, wherever a write ends and however often it is repeated', async () => {
  const step = fc.record({
    digest: fc.constantFrom('a', 'b', 'c'),
    cut: fc.nat(200),
    kill: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      await removeFolder(join(folder, 'deeper'));
      for (const { digest, cut, kill } of steps) {
        const before = await text();
        await putDigestLines(file, digest, lines(digest, 'first', 'second'));
        const after = await text();
        // A kill leaves the file as it was, plus a part of what was appended.
        if (kill && after.startsWith(before))
          await writeFile(file, after.slice(0, before.length + cut));
      }
      const wanted = [...new Set(steps.map(({ digest }) => digest))];
      for (const digest of wanted)
        await putDigestLines(file, digest, lines(digest, 'first', 'second'));
      const found = (await text())
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
      expect(found).toHaveLength(wanted.length * 2);
      for (const digest of wanted) {
        expect(
          found.filter(({ digest_id }) => digest_id === digest).map((line) => line.text),
        ).toEqual(['first', 'second']);
      }
    }),
    { numRuns: 60 },
  );
});

test('writes a segment as one line, whatever it contains', () => {
  const [segment] = digestSegments(
    {
      id: 'd',
      kind: 'daily',
      group: 'Holliday\n',
      groupId: 'g',
      start: new Date(0),
      end: new Date(1),
      madeAt: new Date(2),
      body: 'a\nb\u2028c\u0085d',
      facts: [],
    },
    'me',
  );
  if (segment === undefined) throw new Error('a digest has a segment');
  expect(segmentLine(segment)).not.toMatch(/[\n\u2028\u2029\u0085]/);
  expect(JSON.parse(segmentLine(segment))).toMatchObject({
    text: 'a\nb\u2028c\u0085d',
    device_id: 'me',
  });
});
