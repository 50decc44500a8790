// Proves that every rule of the house fires. The fixtures are a small Relay of their own; a file
// that opens with `// breaks: <rule>` must break exactly that rule, and every other file none.
// Invariant: a rule in .dependency-cruiser.mjs or biome.json without a violating fixture fails here.
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { verifies } from '@relay/testing/verifies';
import {
  cruise,
  type ICruiseOptions,
  type ICruiseResult,
  type IForbiddenRuleType,
} from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const repository = join(import.meta.dirname, '../..');
const { default: houseRules } = (await import(join(repository, '.dependency-cruiser.mjs'))) as {
  default: { forbidden: IForbiddenRuleType[]; options: ICruiseOptions };
};
const fixtures = join(import.meta.dirname, 'fixtures');
// Outside the repository, so that the exclusion of fixtures/ does not hide them from the rules.
const house = realpathSync(mkdtempSync(join(tmpdir(), 'relay-house-')));

/** `packages/daemon/src/store/x.ts breaks daemon/store` */
const broken = (file: string, rule: string): string => `${file} breaks ${rule}`;

function declared(): { file: string; rules: string[] }[] {
  return readdirSync(fixtures, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({
      file: relative(fixtures, path),
      rules: (/^\/\/ breaks: (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? '')
        .split(', ')
        .filter(Boolean),
    }));
}

const expected = (ofRule: (rule: string) => boolean): string[] =>
  declared()
    .flatMap(({ file, rules }) => rules.filter(ofRule).map((rule) => broken(file, rule)))
    .sort();

function link(name: string, target: string): void {
  const path = join(house, 'node_modules', name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

async function importViolations(): Promise<string[]> {
  const { output } = await cruise(['packages', 'testing', 'bench', 'torture', 'scripts'], {
    ...houseRules.options,
    baseDir: house,
    validate: true,
    ruleSet: { forbidden: houseRules.forbidden },
  });
  const found = (output as ICruiseResult).summary.violations;
  return [...new Set(found.map(({ from, rule }) => broken(from, rule.name)))].sort();
}

async function lintViolations(): Promise<string[]> {
  const biome = join(repository, 'node_modules/@biomejs/biome/bin/biome');
  const report = await promisify(execFile)(
    process.execPath,
    [biome, 'lint', '--reporter=json', '--max-diagnostics=none', '.'],
    { cwd: house },
  ).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
  const { diagnostics } = JSON.parse(report) as {
    diagnostics: { category: string; location: { path: string } }[];
  };
  return [...new Set(diagnostics.map((one) => broken(one.location.path, one.category)))].sort();
}

/** The rules biome.json itself turns on, beside the recommended ones. */
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

const isLint = (rule: string): boolean => rule.startsWith('lint/') || rule === 'plugin';

describe('the rules of the house', () => {
  beforeAll(() => {
    cpSync(fixtures, house, { recursive: true });
    for (const file of ['biome.json', '.gitignore', 'scripts/house/no-destructured-env.grit'])
      cpSync(join(repository, file), join(house, file));
    for (const name of ['core', 'daemon', 'cli', 'web', 'simulator'])
      link(`@relay/${name}`, join(house, 'packages', name));
    link('@relay/testing', join(house, 'testing'));
    for (const name of ['zod', 'kysely']) link(name, join(repository, 'node_modules', name));
  });

  afterAll(() => rmSync(house, { recursive: true }));

  it('reports exactly the imports that the table, the packages and the cycle rule forbid', async () => {
    verifies('004-NO-SEND-HANDLE');
    expect(await importViolations()).toEqual(expected((rule) => !isLint(rule)));
  });

  it('reports exactly the lines that the linter forbids', async () => {
    expect(await lintViolations()).toEqual(expected(isLint));
  });

  it('shows for every folder of the daemon that it reaches neither outbox nor transport', () => {
    const daemon = 'packages/daemon/src';
    const shown = new Set(declared().map(({ file, rules }) => (rules.length > 0 ? file : '')));
    const missing = readdirSync(join(repository, daemon), { withFileTypes: true })
      .filter(
        (entry) => entry.isDirectory() && !['gate', 'outbox', 'whatsapp'].includes(entry.name),
      )
      .map(({ name }) => (name === 'flows' ? 'flows/observer' : name))
      .flatMap((name) => ['outbox', 'transport'].map((way) => `${daemon}/${name}/breaks-${way}.ts`))
      .filter((file) => !shown.has(file));
    expect(missing).toEqual([]);
  });

  it('has a violating fixture for every rule', () => {
    const proven = new Set(declared().flatMap(({ rules }) => rules));
    const rules = [
      ...houseRules.forbidden.map(({ name }) => String(name)),
      ...ownLintRules(),
      'plugin',
    ];
    expect(rules.filter((rule) => !proven.has(rule))).toEqual([]);
  });
});
