// Builds the published package `relay-agent` in dist/: command, daemon, console, the client library, and the simulator
// that `relay demo` and developers of agents use.
//   node scripts/build.ts [--out <folder>] [--only cli]
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { VERSION } from '@relay/core/installation';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { type Bundled, bundle } from './build/bundle.ts';
import { publishedManifest, readManifest } from './build/manifest.ts';
import { bundleTypes } from './build/types.ts';
import { notices } from './supply/notices.ts';

const root = resolve(import.meta.dirname, '..');
const { values: options } = parseArgs({
  options: { out: { type: 'string' }, only: { type: 'string' } },
});
const out = resolve(options.out ?? join(root, 'dist'));
const from = (...parts: string[]) => join(root, ...parts);
const to = (...parts: string[]) => join(out, ...parts);

async function buildCommand(): Promise<Bundled> {
  mkdirSync(to('bin'), { recursive: true });
  const stub = readFileSync(from('packages/cli/bin/relay.js'), 'utf8')
    .replace(' in a checkout: runs what `npm run build` made.', '.')
    .replace('../../../dist/cli/main.js', '../cli/main.js');
  writeFileSync(to('bin/relay.js'), stub);
  chmodSync(to('bin/relay.js'), 0o755);
  return bundle({
    entries: { main: from('packages/cli/src/main.ts') },
    outdir: to('cli'),
    apart: {
      '@relay/simulator/simulator': '../simulator/simulator.js',
      '@relay/simulator/model/server': '../simulator/model.js',
      '@relay/simulator/demo': '../simulator/demo.js',
    },
  });
}

async function buildDaemon(): Promise<Bundled> {
  const bundled = await bundle({
    entries: {
      main: from('packages/daemon/src/main.ts'),
      'local-worker': from('packages/daemon/src/models/embed/local-worker.ts'),
      'document-child': from('packages/daemon/src/features/media/document-child.ts'),
      'speech-child': from('packages/daemon/src/features/media/speech-child.ts'),
    },
    outdir: to('daemon'),
  });
  const migrations = from('packages/daemon/src/platform/db/migrations');
  if (existsSync(migrations)) {
    cpSync(migrations, to('daemon/migrations'), {
      recursive: true,
      filter: (path) => statSync(path).isDirectory() || path.endsWith('.sql'),
    });
  }
  cpSync(from('packages/daemon/src/features/eval/eval-sets'), to('daemon/eval-sets'), {
    recursive: true,
  });
  return bundled;
}

/** One module and one file of types, for browsers and for Node. */
async function buildClient(): Promise<void> {
  await build({
    entryPoints: { index: from('packages/contract/src/client/entry.ts') },
    outdir: to('client'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const emitted = to('client/types');
  declarations('tsconfig.client.json', emitted);
  writeFileSync(to('client/index.d.ts'), bundleTypes(join(emitted, 'client/entry.d.ts')));
  rmSync(emitted, { recursive: true, force: true, maxRetries: 20 });
}

function declarations(project: string, outDir: string): void {
  const tsc = from('node_modules/typescript-native/bin/tsc');
  const args = [tsc, '-p', from('scripts/build', project), '--outDir', outDir];
  execFileSync(process.execPath, args, { stdio: 'inherit' });
}

/** Baileys stays external, so that daemon and preload share the one copy that the preload patches. */
function buildSimulator(): Promise<Bundled> {
  declarations('tsconfig.simulator.json', to('simulator/types'));
  copyPhonePage();
  const source = (name: string) => from('packages/simulator/src', name);
  return bundle({
    entries: {
      simulator: source('simulator.ts'),
      model: source('model/server.ts'),
      preload: source('whatsapp/demo-preload.ts'),
      leash: source('leash-preload.ts'),
      clock: source('clock-preload.ts'),
      demo: source('demo.ts'),
    },
    outdir: to('simulator'),
  });
}

/** The demo's phone page uses the colours and the logo of the console: they are the same files. */
function copyPhonePage(): void {
  cpSync(from('packages/simulator/src/phone/page'), to('simulator/page'), { recursive: true });
  cpSync(from('packages/web/src/theme/tokens.css'), to('simulator/page/tokens.css'));
  cpSync(from('packages/web/public/icon.svg'), to('simulator/page/icon.svg'));
}

function buildConsole(): void {
  const vite = from('node_modules/vite/bin/vite.js');
  const args = [vite, 'build', '--outDir', to('web'), '--emptyOutDir', '--logLevel', 'warn'];
  execFileSync(process.execPath, args, { cwd: from('packages/web'), stdio: 'inherit' });
}

/** Vite has written them beside its output; the console itself does not need them. */
function noticesOfConsole(): string {
  const written = to('web/licences.md');
  const text = readFileSync(written, 'utf8');
  rmSync(written);
  return text;
}

/** The images that the README shows. */
function copyPictures(): void {
  const readme = readFileSync(from('README.md'), 'utf8');
  for (const [picture] of readme.matchAll(/docs\/images\/[\w./-]+\.\w+/g)) {
    mkdirSync(dirname(to(picture)), { recursive: true });
    cpSync(from(picture), to(picture));
  }
}

async function lint(): Promise<void> {
  const { messages, pkg } = await publint({ pkgDir: out, strict: true });
  if (messages.length === 0) return;
  for (const message of messages) console.error(formatMessage(message, pkg));
  throw new Error('publint refuses the package.');
}

function sizeOf(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

const began = performance.now();
if (VERSION !== readManifest(root).version) {
  throw new Error(
    `core/installation.ts says ${VERSION}, package.json ${readManifest(root).version}.`,
  );
}
rmSync(out, { recursive: true, force: true, maxRetries: 20 });
mkdirSync(dirname(out), { recursive: true });
const bundles = [await buildCommand()];
if (options.only === undefined) {
  bundles.push(await buildDaemon(), await buildSimulator());
  await buildClient();
  buildConsole();
  for (const name of ['README.md', 'LICENSE']) {
    if (existsSync(from(name))) cpSync(from(name), to(name));
  }
  cpSync(from('docs/relay.config.schema.json'), to('relay.config.schema.json'));
  // For linking with a WhatsApp passkey: the owner loads this folder into a browser, and can read it before.
  cpSync(from('packages/web/extension'), to('extension'), { recursive: true });
  copyPictures();
  // Fails if a package is not allowed; the report is written beside the build.
  execFileSync(process.execPath, [from('scripts/supply.ts'), '--out', out], { stdio: 'inherit' });
  const inside = new Set(bundles.flatMap((one) => [...one.inside]));
  writeFileSync(to('NOTICES.md'), `${notices(root, inside)}\n${noticesOfConsole()}`);
  const outside = new Set(bundles.flatMap((one) => [...one.outside]));
  writeFileSync(
    to('package.json'),
    `${JSON.stringify(publishedManifest(root, outside), null, 2)}\n`,
  );
  await lint();
} else {
  writeFileSync(to('package.json'), '{ "type": "module" }\n');
}
const seconds = ((performance.now() - began) / 1_000).toFixed(1);
const sizes = readdirSync(out)
  .filter((name) => statSync(to(name)).isDirectory())
  .map((name) => `${name} ${Math.ceil(sizeOf(to(name)) / 1_024)} kB`);
console.log(`Built ${out} in ${seconds} s: ${sizes.join(', ')}.`);
