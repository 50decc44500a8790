// Learns the weights of the noise filter from the labelled weeks and writes them to the shipped file. The same weeks
// and lists give the same file; `npm run bench -- noise` evaluates it.
//   node bench/learn-noise.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Weights } from '@relay/core/observer/noise/signs';
import { readWeek } from '@relay/testing/observer/weeks';
import { learnTables } from './noise/tables.ts';

const FILE = join(import.meta.dirname, '../packages/core/src/observer/noise/weights.ts');

const { alone, inTalk } = learnTables(
  readWeek('holliday').messages,
  readWeek('casa-limon').messages,
);

const key = (name: string): string => (/^\w+$/.test(name) ? name : `'${name}'`);

const rows = (weights: Weights): string =>
  Object.entries(weights)
    .sort(([, a], [, b]) => a - b)
    .map(([name, weight]) => `  ${key(name)}: ${Number(weight.toFixed(2))},\n`)
    .join('');

writeFileSync(
  FILE,
  `// The weights of the signs: above 0 for content, below for noise. Written by bench/learn-noise.ts from two labelled
// weeks; do not edit.
import type { Weights } from './signs.ts';

/** For a message without context. */
export const ALONE: Weights = {
${rows(alone)}};

/** For a message with those before it. */
export const IN_TALK: Weights = {
${rows(inTalk)}};
`,
);
