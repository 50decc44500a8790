import { expect, it } from 'vitest';
import { blocksOf, filesOf } from './blocks.ts';
import { compare } from './compare-output.ts';

const differs = (shown: string[], came: string) => compare(shown, came).difference;
const page = (...lines: string[]) => lines.join('\n');

it('reads a script as one step, and a dialogue as one step for each command with its output', () => {
  const found = blocksOf(
    page('# A page', '```sh', 'a', 'b', '```', 'Text', '```console', '$ c', 'd', '$ e', '```'),
  );
  expect(found).toEqual([
    { line: 2, reason: null, steps: [{ command: 'a\nb', shown: [] }] },
    {
      line: 7,
      reason: null,
      steps: [
        { command: 'c', shown: ['d'] },
        { command: 'e', shown: [] },
      ],
    },
  ]);
});

it('reads a reason after the language, and ignores other languages and mere output', () => {
  const [block, ...others] = blocksOf(
    page(
      '```sh ran-by="x.int.test.ts"',
      'a',
      '```',
      '```json',
      '{}',
      '```',
      '```console',
      'b',
      '```',
    ),
  );
  expect(block?.reason).toEqual({ kind: 'ran-by', text: 'x.int.test.ts' });
  expect(others).toEqual([]);
});

it('allows different ids, times and measurements, but not different words and numbers', () => {
  const shown = ['09:03  3A7E7EE11B9F  Ben: 180 euros', 'PID 12, 2 s'];
  expect(differs(shown, '10:14   3EB0A956B5D2   Ben: 180 euros\nPID 4711, 12 s\n')).toBeNull();
  expect(differs(shown, '10:14  3EB0A956B5D2  Ben: 190 euros\nPID 4711, 12 s\n')).toContain('180');
});

it('reports an extra line, unless the page omits lines', () => {
  expect(differs(['a'], 'a\nb\n')).toBe('not shown: b');
  expect(differs(['a', '…'], 'a\nb\n')).toBeNull();
  expect(differs(['…', 'c'], 'a\nb\nc\n')).toBeNull();
  expect(differs(['a b …'], 'a b c d\n')).toBeNull();
  expect(differs([], 'whatever\n')).toBeNull();
});

it('maps an id on the page to the real one, and keeps a phone number', () => {
  const shown = ['09:03  3A7E7EE11B9F  +14155551234  hi', '…', 'run 3f2a91bc'];
  const came = '10:14  3EB0A956B5D2  +14155551234  hi\nmore\nrun 0a1b2c3d\n';
  expect(compare(shown, came)).toEqual({
    difference: null,
    ids: new Map([
      ['3A7E7EE11B9F', '3EB0A956B5D2'],
      ['3f2a91bc', '0a1b2c3d'],
    ]),
  });
  expect(differs(['+14155551234'], '+14155551235')).toContain('+14155551235');
});

it('writes a file as the page shows it', () => {
  const files = filesOf(
    page('```yaml', '# quote.yaml', 'objective: x', '```', '```yaml', 'a: b', '```'),
  );
  expect(files).toEqual(new Map([['quote.yaml', 'objective: x\n']]));
});
