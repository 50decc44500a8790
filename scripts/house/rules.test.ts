// Proves that every rule in .dependency-cruiser.mjs and biome.json fires, and only where it should: writes the cases of
// rule-cases.ts into a temporary directory, runs both tools on it and compares exactly. Invariant: a rule, or a folder
// of the daemon, without a case fails here.
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { removeFolder } from '@relay/testing/remove-folder';
import { verifies } from '@relay/testing/verifies';
import {
  cruise,
  type ICruiseOptions,
  type ICruiseResult,
  type IForbiddenRuleType,
} from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAEMON_FOLDERS, RULE_CASES } from './rule-cases.ts';

const repository = join(import.meta.dirname, '../..');
const { default: importRules } = (await import(join(repository, '.dependency-cruiser.mjs'))) as {
  default: { forbidden: IForbiddenRuleType[]; options: ICruiseOptions };
};
const directory = realpathSync(mkdtempSync(join(tmpdir(), 'relay-rules-')));

/** `packages/daemon/src/store/x.ts breaks daemon/store` */
const violation = (file: string, rule: string): string => `${file} breaks ${rule}`;

const isLint = (rule: string): boolean => rule.startsWith('lint/') || rule === 'plugin';

const expectedViolations = (ofKind: (rule: string) => boolean): string[] =>
  RULE_CASES.flatMap(({ file, breaks }) =>
    breaks.filter(ofKind).map((rule) => violation(file, rule)),
  ).sort();

function write(file: string, text: string): void {
  const path = join(directory, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { flag: 'wx' });
}

function link(name: string, target: string): void {
  const path = join(directory, 'node_modules', name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

function writeCases(): void {
  for (const { file, source } of RULE_CASES) write(file, source);
  const packages = ['contract', 'core', 'daemon', 'cli', 'web', 'simulator'].map(
    (name) => `packages/${name}`,
  );
  for (const folder of [...packages, 'testing']) {
    const name = `@relay/${folder.replace('packages/', '')}`;
    const manifest = { name, type: 'module', exports: { './*': './src/*.ts' } };
    write(`${folder}/package.json`, JSON.stringify(manifest));
    link(name, join(directory, folder));
  }
  for (const name of ['zod', 'kysely']) link(name, join(repository, 'node_modules', name));
  for (const file of ['biome.json', '.gitignore', 'scripts/house/no-destructured-env.grit'])
    cpSync(join(repository, file), join(directory, file));
}

async function importViolations(): Promise<string[]> {
  const { output } = await cruise(['packages', 'testing', 'bench', 'torture', 'scripts'], {
    ...importRules.options,
    baseDir: directory,
    validate: true,
    ruleSet: { forbidden: importRules.forbidden },
  });
  const found = (output as ICruiseResult).summary.violations;
  return [...new Set(found.map(({ from, rule }) => violation(from, rule.name)))].sort();
}

async function lintViolations(): Promise<string[]> {
  const biome = join(repository, 'node_modules/@biomejs/biome/bin/biome');
  const report = await promisify(execFile)(
    process.execPath,
    [biome, 'lint', '--reporter=json', '--max-diagnostics=none', '.'],
    { cwd: directory },
  ).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
  const { diagnostics } = JSON.parse(report) as {
    diagnostics: { category: string; location: { path: string } }[];
  };
  return [...new Set(diagnostics.map((one) => violation(one.location.path, one.category)))].sort();
}

/** The rules that biome.json enables itself, besides the recommended ones. */
function ownLintRules(): string[] {
  const text = readFileSync(join(repository, 'biome.json'), 'utf8');
  const { linter, overrides } = JSON.parse(text) as {
    linter: { rules: Record<string, unknown> };
    overrides: { linter?: { rules: Record<string, unknown> } }[];
  };
  return [linter, ...overrides.flatMap((one) => one.linter ?? [])].flatMap(({ rules }) =>
    Object.entries(rules).flatMap(([group, members]) =>
      typeof members !== 'object' || members === null
        ? []
        : Object.entries(members)
            .filter(([, level]) => level !== 'off')
            .map(([rule]) => `lint/${group}/${rule}`),
    ),
  );
}

const foldersIn = (path: string): string[] =>
  readdirSync(join(repository, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

describe('project rules', () => {
  beforeAll(writeCases);
  afterAll(() => removeFolder(directory));

  it('dependency-cruiser reports exactly the forbidden imports', async () => {
    verifies('004-NO-SEND-HANDLE');
    expect(await importViolations()).toEqual(expectedViolations((rule) => !isLint(rule)));
  });

  it('biome reports exactly the forbidden lines', async () => {
    expect(await lintViolations()).toEqual(expectedViolations(isLint));
  });

  it('every folder of the daemon has cases', () => {
    const daemon = 'packages/daemon/src';
    const inside = (folder: string) =>
      foldersIn(`${daemon}/${folder}`)
        .filter((name) => name !== 'testing')
        .map((name) => `${folder}/${name}`);
    const folders = foldersIn(daemon).flatMap((name) =>
      ['models', 'whatsapp'].includes(name) ? name : inside(name),
    );
    expect(Object.keys(DAEMON_FOLDERS).sort()).toEqual(folders.sort());
  });

  it('every rule has a case that breaks it', () => {
    const broken = new Set(RULE_CASES.flatMap(({ breaks }) => breaks));
    const rules = [
      ...importRules.forbidden.map(({ name }) => String(name)),
      ...ownLintRules(),
      'plugin',
    ];
    expect(rules.filter((rule) => !broken.has(rule))).toEqual([]);
  });
});
