// Counts the product's files and exported names: `node scripts/figures.ts` prints each figure with its limit and fails
// when one is over it. Tests, their helpers and generated code do not count.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const NOT_PRODUCT = /[.]test[.]tsx?$|[/]testing[/]|[/]client[/]openapi[.]ts$/;
const FEW_LINES = 10;
const EXPORTED =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;

const files = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: ROOT })
  .filter((path) => !NOT_PRODUCT.test(path))
  .map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const names = [...text.matchAll(EXPORTED)].map(([, name = '']) => name);
    // A schema and its type may share a name.
    return { path, lines: text.split('\n').length - 1, exported: [...new Set(names)] };
  });

const exporters = Map.groupBy(
  files.flatMap(({ path, exported }) => exported.map((name) => ({ name, path }))),
  ({ name }) => name,
);
const duplicates = [...exporters].filter(([, places]) => places.length > 1);
for (const [name, places] of duplicates)
  console.log(`${name} is exported from ${places.map(({ path }) => path).join(', ')}.`);

const FIGURES = [
  { name: 'product files', is: files.length, limit: 950 },
  { name: 'exported names', is: [...exporters.values()].flat().length, limit: 4_300 },
  { name: 'names exported from several files', is: duplicates.length, limit: 15 },
  {
    name: `files of ${FEW_LINES} lines or fewer`,
    is: files.filter(({ lines }) => lines <= FEW_LINES).length,
    limit: 10,
  },
];
for (const { name, is, limit } of FIGURES)
  console.log(`${name.padEnd(34)} ${String(is).padStart(5)} (at most ${limit})`);
process.exitCode = FIGURES.some(({ is, limit }) => is > limit) ? 1 : 0;
