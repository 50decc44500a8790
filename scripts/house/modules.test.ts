// Rules for every file: ESM only, strict types, and WhatsApp's library only behind its adapter.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { verifies } from '@relay/testing/verifies';
import { expect, it } from 'vitest';

const repository = join(import.meta.dirname, '../..');
const PLACES = ['packages', 'testing', 'bench', 'torture', 'scripts', 'requirements'];
const SKIPPED = /(^|\/)(node_modules|dist|fixtures)\//;

const files = PLACES.flatMap((place) =>
  readdirSync(join(repository, place), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(repository, join(entry.parentPath, entry.name))),
).filter((path) => !SKIPPED.test(path));

const sources = files.filter((path) => /\.[cm]?[jt]sx?$/.test(path));
const ships = sources.filter(
  (path) => path.startsWith('packages/') && !/\.test\.tsx?$|\/testing\//.test(path),
);
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');
const json = (path: string) => JSON.parse(read(path));

/** Folders that may import the WhatsApp library: its adapter, and the network that tests it. */
const KNOWS_BAILEYS = /^packages\/(daemon\/src\/whatsapp|simulator\/src)\//;
const importsOf = (path: string): string[] =>
  [...read(path).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, from = '']) => from);

it('every package is ESM, and every file too', () => {
  verifies('003-NFR-ESM');
  const manifests = ['package.json', ...files.filter((path) => path.endsWith('/package.json'))];
  expect(manifests.length).toBeGreaterThan(5);
  for (const path of manifests) expect({ path, ...json(path) }).toMatchObject({ type: 'module' });
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.filter((path) => /\.c[jt]s$/.test(path))).toEqual([]);
  const old = /^(?!\s*(?:\/\/|\*)).*\b(?:module\.exports|require\()/m;
  expect(ships.filter((path) => old.test(read(path)))).toEqual([]);
});

it('every file is checked with strict types', () => {
  verifies('003-NFR-ESM');
  const { compilerOptions, include } = json('tsconfig.json');
  expect(compilerOptions).toMatchObject({ strict: true, noUncheckedIndexedAccess: true });
  for (const place of PLACES) expect(include.join(' ')).toContain(`${place}/`);
  const others = files.filter((path) => /tsconfig[^/]*\.json$/.test(path));
  expect(others).not.toEqual([]);
  for (const path of others) {
    expect(json(path)).toMatchObject({
      extends: expect.stringMatching(/(\.\.\/)+tsconfig\.json$/),
    });
    expect(json(path).compilerOptions).not.toHaveProperty('strict');
  }
});

it('only the adapter imports the WhatsApp library, and only composition imports the adapter', () => {
  verifies('003-EXT-WHATSAPP');
  const baileys = ships.filter((path) => importsOf(path).some((from) => from.includes('baileys')));
  expect(baileys).not.toEqual([]);
  expect(baileys.filter((path) => !KNOWS_BAILEYS.test(path))).toEqual([]);
  const adapter = ships.filter((path) =>
    importsOf(path).some((from) => /^\.+\/(?:.*\/)?whatsapp\/(?!.*\bapi\b)/.test(from)),
  );
  const outside = adapter.filter(
    (path) => path.startsWith('packages/daemon/') && !KNOWS_BAILEYS.test(path),
  );
  expect(outside).toEqual([
    'packages/daemon/src/message-pipeline.ts',
    'packages/daemon/src/remote-account.ts',
  ]);
});
