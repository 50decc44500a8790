// How large the product is: files, exported names, names that several files export, and files of a few lines.
// `node scripts/figures.ts` prints the figures; it fails when one is over its limit.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const IS_TEST = /[.]test[.]tsx?$|[/](testing|fixtures|generated)[/]/;
const FEW_LINES = 10;

interface ProductFile {
  readonly path: string;
  readonly lines: number;
  readonly exported: readonly string[];
}

const EXPORTED =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;

function readProduct(): ProductFile[] {
  return globSync('packages/*/src/**/*.{ts,tsx}', { cwd: ROOT })
    .filter((path) => !IS_TEST.test(path))
    .sort()
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return {
        path,
        lines: text.split('\n').length - 1,
        exported: [...new Set([...text.matchAll(EXPORTED)].map(([, name]) => name ?? ''))],
      };
    });
}

const files = readProduct();
const homes = new Map<string, string[]>();
for (const { path, exported } of files)
  for (const name of exported) homes.set(name, [...(homes.get(name) ?? []), path]);
const shared = [...homes].filter(([, paths]) => paths.length > 1);

console.log(`product files               ${files.length}`);
console.log(
  `exported names              ${files.reduce((sum, { exported }) => sum + exported.length, 0)}`,
);
console.log(`exported from several files ${shared.length}`);
console.log(
  `files of ${FEW_LINES} lines or fewer   ${files.filter(({ lines }) => lines <= FEW_LINES).length}`,
);
if (process.argv.includes('--list'))
  for (const [name, paths] of shared.sort(([a], [b]) => a.localeCompare(b)))
    console.log(
      `${name}: ${paths.map((path) => path.replace('packages/', '').replace('/src/', '/')).join(' ')}`,
    );
