// Measures the compressed size of the script that the console's first page loads: what the document names and its
// imports. Fails above the limit.
//   node scripts/console-size.ts
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const LIMIT_KB = 300;

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
  readonly isDynamicEntry?: boolean;
}

const root = resolve(import.meta.dirname, '..');
const out = mkdtempSync(join(tmpdir(), 'relay-console-'));

/** A chunk with everything it imports. */
function withImports(manifest: Record<string, Chunk>, names: readonly string[]): Set<string> {
  const needed = new Set<string>();
  const add = (name: string) => {
    if (needed.has(name)) return;
    needed.add(name);
    manifest[name]?.imports?.forEach(add);
  };
  names.forEach(add);
  return needed;
}

const kilobytes = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(out, file))).length, 0) / 1_000;

try {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const args = [
    vite,
    'build',
    '--manifest',
    '--outDir',
    out,
    '--emptyOutDir',
    '--logLevel',
    'error',
  ];
  execFileSync(process.execPath, args, { cwd: join(root, 'packages/web'), stdio: 'inherit' });
  const manifest: Record<string, Chunk> = JSON.parse(
    readFileSync(join(out, '.vite/manifest.json'), 'utf8'),
  );
  const first = withImports(manifest, ['index.html']);
  const scripts = (names: Iterable<string>) =>
    new Set([...names].flatMap((name) => manifest[name]?.file ?? []));
  const styles = new Set([...first].flatMap((name) => manifest[name]?.css ?? []));
  const script = kilobytes(scripts(first));
  console.log(
    `First load: ${script.toFixed(1)} KB of script, ${kilobytes(styles).toFixed(1)} KB of styles, gzip.`,
  );
  for (const [name, chunk] of Object.entries(manifest)) {
    if (!chunk.isDynamicEntry || first.has(name)) continue;
    const more = [...withImports(manifest, [name])].filter((one) => !first.has(one));
    console.log(`  later, ${name}: ${kilobytes(scripts(more)).toFixed(1)} KB`);
  }
  if (script > LIMIT_KB) {
    console.error(`That is more than ${LIMIT_KB} KB.`);
    process.exitCode = 1;
  }
} finally {
  rmSync(out, { recursive: true, force: true, maxRetries: 20 });
}
