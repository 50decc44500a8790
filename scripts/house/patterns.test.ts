// Every regular expression of the product runs in linear time: text of others must not block the daemon. Each pattern
// is run on long inputs of the kinds that make a bad one quadratic.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { growth } from '../../testing/src/growth.ts';

const root = join(import.meta.dirname, '../..');

interface Pattern {
  readonly place: string;
  readonly regex: RegExp;
}

/** The regular expression literals of one file, compiled. */
function patternsIn(file: string): Pattern[] {
  const text = readFileSync(join(root, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found: Pattern[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      const flags = node.text.slice(end + 1).replace('y', '');
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      found.push({ place: `${file}:${line}`, regex: new RegExp(node.text.slice(1, end), flags) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Quadratic time shows at this length, and linear time costs nothing. */
const LARGEST = 16 * 1024;
/** A pattern that takes longer than this at any length is examined more closely. */
const NEGLIGIBLE_MS = 2;
const HOPELESS_MS = 500;
/** Eight times the input may take eight times as long, plus half for other load on the machine. */
const MOST_GROWTH = 12;

/** Repeated, each of these makes some careless pattern backtrack from every position. */
const UNITS = [
  ' ',
  '\n',
  'a',
  '0',
  '.',
  ':',
  '/',
  '<',
  '"',
  '(',
  '@',
  '_',
  '\u200e',
  "'a",
  '1,',
  'A-',
  '1 ',
  '1(',
  'a.',
  'e\u0301',
];

/** The last character is in no pattern, so that nothing matches to the end by accident. */
const input = (unit: string, length: number): string =>
  `x${unit.repeat(Math.ceil(length / unit.length))}\u0001`;

const milliseconds = (regex: RegExp, text: string): number => {
  const began = performance.now();
  text.replace(regex, '');
  return performance.now() - began;
};

/** A busy machine can make linear time look worse, but never quadratic time better: the best of five counts. */
function leastGrowth(regex: RegExp, unit: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5 && least > MOST_GROWTH; attempt += 1) {
    const times = growth((size) => input(unit, size).replace(regex, ''), 8 * 1024, 8);
    least = Math.min(least, times);
  }
  return least;
}

/** How many times longer 64 KB take than 8 KB; 0 where no length takes noticeable time. */
function growthOf(regex: RegExp, unit: string): number {
  // From short to long, so that a pattern of exponential time is detected before it hangs.
  for (let length = 64; length <= LARGEST; length *= 4) {
    const text = input(unit, length);
    const time = Math.min(milliseconds(regex, text), milliseconds(regex, text));
    if (time > HOPELESS_MS) return Number.POSITIVE_INFINITY;
    if (length === LARGEST && time > NEGLIGIBLE_MS) return leastGrowth(regex, unit);
  }
  return 0;
}

test('every regular expression runs in time proportional to its input', () => {
  const files = globSync('packages/{contract,core,daemon,cli}/src/**/*.ts', { cwd: root }).filter(
    (file) => !file.includes('.test.') && !file.includes('/testing/'),
  );
  const patterns = files.flatMap(patternsIn);
  expect(patterns.length).toBeGreaterThan(300);
  const slow = patterns.flatMap(({ place, regex }) =>
    UNITS.map((unit) => ({ unit, times: growthOf(regex, unit) }))
      .filter(({ times }) => times > MOST_GROWTH)
      .map(({ unit, times }) => `${place} ${regex} on ${JSON.stringify(unit)}: ${times}`),
  );
  expect(slow).toEqual([]);
});
