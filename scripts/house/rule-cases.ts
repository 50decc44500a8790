// The cases of rules.test.ts: small source files, and the rules that each of them breaks. A case without `breaks` shows
// what is allowed. Paths are relative to the root of the repository.
import { dirname, relative } from 'node:path/posix';

export interface RuleCase {
  readonly file: string;
  readonly source: string;
  readonly breaks: readonly string[];
}

interface DaemonFolder {
  readonly allowed?: readonly string[];
  /** In addition to the outbox and `whatsapp`, which are added for every folder that may not import them. */
  readonly forbidden?: readonly string[];
}

const DB = 'platform/db';
const JOBS = 'platform/jobs';
const GATE = 'pipeline/gate';
const OUTBOX = 'pipeline/outbox';
const EGRESS = 'platform/egress';
const SHARED_FEATURES = ['features/schedules', 'features/search'];
const AGENT: DaemonFolder = { allowed: ['models', ...SHARED_FEATURES, GATE, DB, JOBS] };
const WITH_WEB: DaemonFolder = { allowed: [...(AGENT.allowed ?? []), 'features/web-search'] };

/** Every folder of the daemon, with all that it may import and an example of what it may not. */
export const DAEMON_FOLDERS: Readonly<Record<string, DaemonFolder>> = {
  'features/accounts': { allowed: ['platform/egress', DB], forbidden: [JOBS, 'features/backup'] },
  'features/activity': { allowed: [DB], forbidden: [JOBS] },
  'features/assistant': { ...WITH_WEB, forbidden: ['features/observer'] },
  'features/auto-reply': WITH_WEB,
  'features/backup': { allowed: ['platform/home', DB, JOBS], forbidden: [GATE] },
  'features/chat-import': { allowed: [DB], forbidden: ['pipeline/intake'] },
  'features/chats': { allowed: [DB], forbidden: [JOBS] },
  'features/conversations': { ...AGENT, forbidden: ['features/assistant'] },
  'features/devices': { allowed: [DB], forbidden: [GATE] },
  'features/digest-export': { allowed: [EGRESS, DB, JOBS], forbidden: [GATE] },
  'features/eval': { allowed: ['models', DB], forbidden: [GATE] },
  'features/group-answers': AGENT,
  'features/health': { allowed: [DB, JOBS], forbidden: [GATE] },
  'features/metrics': { allowed: [DB, JOBS], forbidden: [GATE] },
  'features/notifications': { allowed: [EGRESS, DB, JOBS], forbidden: [GATE] },
  'features/observer': { allowed: ['models', 'features/search', DB, JOBS] },
  'features/media': {
    allowed: ['features/search', 'platform/egress', 'platform/home', DB, JOBS],
    forbidden: [GATE],
  },
  'features/retention': { allowed: ['features/search', DB, JOBS], forbidden: [GATE] },
  'features/schedules': { allowed: [GATE, DB, JOBS], forbidden: ['models'] },
  'features/search': { allowed: [DB], forbidden: [JOBS] },
  'features/traces': { allowed: [EGRESS, DB], forbidden: [JOBS] },
  'features/web-search': { allowed: ['models', EGRESS], forbidden: [DB] },
  'features/webhooks': { allowed: [EGRESS, DB, JOBS], forbidden: [GATE] },
  'interfaces/http': {
    allowed: [GATE, ...SHARED_FEATURES, DB],
    forbidden: ['features/assistant'],
  },
  'interfaces/mcp': { allowed: [GATE, ...SHARED_FEATURES, DB], forbidden: ['models'] },
  models: { forbidden: ['features/assistant'] },
  'pipeline/gate': { allowed: [OUTBOX, DB, JOBS], forbidden: ['models', 'features/assistant'] },
  'pipeline/intake': { allowed: [DB, JOBS], forbidden: ['pipeline/router'] },
  'pipeline/outbox': { allowed: [DB, JOBS], forbidden: [GATE] },
  'pipeline/router': {
    allowed: ['features/assistant', 'features/observer', JOBS, DB],
    forbidden: [GATE],
  },
  'platform/db': { forbidden: [JOBS] },
  'platform/egress': { forbidden: [DB] },
  'platform/home': { forbidden: ['platform/log'] },
  'platform/jobs': { allowed: [DB], forbidden: [GATE] },
  'platform/log': { forbidden: ['platform/home'] },
  whatsapp: { forbidden: [DB] },
};

const DAEMON = 'packages/daemon/src';
const POLL_LOOP = `${DAEMON}/platform/poll-loop.ts`;
const SHARED_INTERVAL = `${DAEMON}/platform/shared-interval.ts`;
const part = (folder: string): string => `${DAEMON}/${folder}/part.ts`;

const rule = (file: string, source: string, ...breaks: string[]): RuleCase => ({
  file,
  source,
  breaks,
});

/** A file that imports the given modules: names of packages, or paths of other cases. */
function importing(file: string, modules: readonly string[], ...breaks: string[]): RuleCase {
  const specifier = (module: string): string => {
    if (!/^(packages|scripts)\//.test(module)) return module;
    const path = relative(dirname(file), module);
    return path.startsWith('.') ? path : `./${path}`;
  };
  const lines = modules.map((module, at) => `import * as m${at} from '${specifier(module)}';`);
  const names = modules.map((_, at) => `m${at}`).join(', ');
  return rule(file, [...lines, `export const imported = [${names}];`].join('\n'), ...breaks);
}

function daemonFolderCases(): RuleCase[] {
  return Object.entries(DAEMON_FOLDERS).flatMap(([folder, { allowed = [], forbidden = [] }]) => {
    const itself = `daemon/${folder}`;
    const breaks = folder === 'features/observer' ? [itself, 'observer/no-send'] : [itself];
    const forbiddenHere = [OUTBOX, 'whatsapp', ...forbidden].filter(
      (other) => other !== folder && !allowed.includes(other),
    );
    return [
      rule(part(folder), `export const part = '${folder}';\nexport type Part = typeof part;\n`),
      importing(`${DAEMON}/${folder}/allowed.ts`, [
        '@relay/contract/ids',
        '@relay/core/log',
        part(folder),
        ...allowed.map(part),
      ]),
      ...forbiddenHere.map((other) =>
        importing(
          `${DAEMON}/${folder}/imports-${other.replaceAll('/', '-')}.ts`,
          [part(other)],
          ...breaks,
        ),
      ),
    ];
  });
}

const IMPORT_CASES: readonly RuleCase[] = [
  ...daemonFolderCases(),

  // Composition may import every folder; no folder may import composition.
  importing(`${DAEMON}/daemon.ts`, [
    `${DAEMON}/config.ts`,
    ...Object.keys(DAEMON_FOLDERS).map(part),
  ]),
  importing(`${DAEMON}/main.ts`, [`${DAEMON}/daemon.ts`, part('whatsapp')]),
  importing(`${DAEMON}/config.ts`, [part('platform/home')], 'daemon/config.ts'),
  // Every folder may use the poll loop; the poll loop imports nothing.
  importing(POLL_LOOP, [part(DB)], 'daemon/platform/poll-loop.ts'),
  importing(SHARED_INTERVAL, [part(DB)], 'daemon/platform/shared-interval.ts'),
  importing(`${DAEMON}/features/observer/imports-poll-loop.ts`, [POLL_LOOP]),
  importing(
    `${DAEMON}/interfaces/http/imports-config.ts`,
    [`${DAEMON}/config.ts`],
    'daemon/interfaces/http',
  ),
  importing(
    `${DAEMON}/platform/jobs/imports-composition.ts`,
    [`${DAEMON}/daemon.ts`],
    'daemon/platform/jobs',
  ),
  importing(`${DAEMON}/stray.ts`, [part(DB)], 'daemon/unlisted'),
  importing(`${DAEMON}/helpers/unlisted.ts`, ['@relay/contract/ids'], 'daemon/unlisted'),

  // http may import only the service of a feature; the observer may not import anything that sends.
  rule(`${DAEMON}/features/assistant/service.ts`, 'export const service = 1;\n'),
  importing(`${DAEMON}/interfaces/http/imports-service.ts`, [
    `${DAEMON}/features/assistant/service.ts`,
  ]),
  importing(
    `${DAEMON}/features/observer/imports-gate.ts`,
    [part(GATE)],
    'daemon/features/observer',
    'observer/no-send',
  ),
  rule(
    `${DAEMON}/whatsapp/imports-type.ts`,
    "import type { Part } from '../platform/db/part.ts';\n\nexport type Other = Part;\n",
    'daemon/whatsapp',
  ),

  // Permits.
  rule(
    'packages/core/src/policy/permit.ts',
    'export type Permit = { id: string };\nexport const mintPermit = (id: string): Permit => ({ id });\n',
  ),
  importing(`${DAEMON}/pipeline/gate/mints.ts`, ['@relay/core/policy/permit']),
  importing(`${DAEMON}/pipeline/outbox/mints.ts`, ['@relay/core/policy/permit'], 'gate/mints'),
  rule(
    `${DAEMON}/pipeline/outbox/takes-permit.ts`,
    "import type { Permit } from '@relay/core/policy/permit';\n\nexport const idOf = (permit: Permit) => permit.id;\n",
  ),

  // Packages.
  importing('packages/contract/src/ids.ts', ['zod']),
  importing('packages/contract/src/api/status.ts', ['packages/contract/src/ids.ts']),
  importing('packages/contract/src/imports-core.ts', ['@relay/core/log'], 'package/contract'),
  importing('packages/contract/src/imports-kysely.ts', ['kysely'], 'contract/dependencies'),
  importing(
    'packages/contract/src/imports-node.ts',
    ['node:fs'],
    'contract/no-node',
    'lint/correctness/noNodejsModules',
  ),
  importing('packages/contract/src/allowed.test.ts', ['node:fs', 'kysely']),
  importing('packages/core/src/log.ts', ['zod', '@relay/contract/ids']),
  importing(
    'packages/core/src/imports-daemon.ts',
    ['@relay/daemon/platform/db/part'],
    'package/core',
  ),
  importing('packages/core/src/imports-kysely.ts', ['kysely'], 'core/dependencies'),
  importing(
    'packages/core/src/imports-node.ts',
    ['node:fs'],
    'core/no-node',
    'lint/correctness/noNodejsModules',
  ),
  importing('packages/core/src/allowed.test.ts', ['node:fs', 'kysely']),
  importing('packages/cli/src/shown.ts', ['@relay/contract/api/status', '@relay/core/log']),
  importing(
    'packages/cli/src/imports-daemon.ts',
    ['@relay/daemon/platform/db/part'],
    'package/cli',
  ),
  importing('packages/cli/src/imports-simulator.ts', ['@relay/simulator/phone'], 'package/cli'),
  importing('packages/cli/src/demo.ts', ['@relay/simulator/phone']),
  importing(
    'packages/cli/src/commands/demo.ts',
    ['@relay/daemon/platform/db/part'],
    'package/cli-demo',
  ),
  importing(`${DAEMON}/platform/db/imports-cli.ts`, ['@relay/cli/shown'], 'package/daemon'),
  importing('packages/simulator/src/phone.ts', ['@relay/contract/ids', '@relay/core/log']),
  importing(
    'packages/simulator/src/imports-daemon.ts',
    ['@relay/daemon/platform/db/part'],
    'package/simulator',
  ),
  importing('packages/web/src/imports-cli.tsx', ['packages/cli/src/shown.ts'], 'package/web'),

  // Test code, and code that does not ship.
  importing('packages/core/src/policy/testing/sample.ts', ['kysely']),
  importing(
    'packages/core/src/imports-test-helper.ts',
    ['packages/core/src/policy/testing/sample.ts'],
    'testing-is-for-tests',
  ),
  importing('testing/src/prepared.ts', ['@relay/daemon/platform/db/part']),
  importing('bench/allowed.ts', ['@relay/testing/prepared']),
  importing('torture/allowed.ts', ['@relay/testing/prepared']),
  importing('scripts/tool.ts', ['@relay/daemon/platform/db/part']),
  importing('scripts/imports-testing.ts', ['@relay/testing/prepared'], 'testing-is-for-tests'),
  importing(
    `${DAEMON}/interfaces/http/imports-script.ts`,
    ['scripts/tool.ts'],
    'ships-without-workshop',
  ),
  importing(
    `${DAEMON}/platform/jobs/imports-testing.ts`,
    ['@relay/testing/prepared'],
    'ships-without-workshop',
    'testing-is-for-tests',
  ),
  importing(`${DAEMON}/platform/db/allowed.test.ts`, [
    '@relay/simulator/phone',
    '@relay/testing/prepared',
    part(GATE),
  ]),

  // Cycles (reported once, for the first file) and unresolved imports.
  importing(
    `${DAEMON}/platform/jobs/cycle-one.ts`,
    [`${DAEMON}/platform/jobs/cycle-two.ts`],
    'no-cycles',
  ),
  importing(`${DAEMON}/platform/jobs/cycle-two.ts`, [`${DAEMON}/platform/jobs/cycle-one.ts`]),
  rule(
    `${DAEMON}/platform/jobs/type-cycle-one.ts`,
    "import type { Two } from './type-cycle-two.ts';\n\nexport type One = Two | 1;\n",
    'no-cycles',
  ),
  rule(
    `${DAEMON}/platform/jobs/type-cycle-two.ts`,
    "import type { One } from './type-cycle-one.ts';\n\nexport type Two = One | 2;\n",
  ),
  importing(`${DAEMON}/platform/jobs/imports-nothing.ts`, ['@relay/core/nowhere'], 'resolvable'),
];

const TOO_COMPLEX = `export function total(rows: number[][]): number {
  let sum = 0;
  for (const row of rows) {
    for (const one of row) {
      if (one > 1) {
        if (one > 2) {
          if (one > 3) {
            if (one > 4) sum += 1;
            else if (one > 5) sum += 2;
          }
        }
      }
    }
  }
  return sum;
}
`;

const LOG = `${DAEMON}/platform/log`;
const ENV = 'lint/style/noProcessEnv';
const readsEnv = 'export const home = process.env.RELAY_HOME;\n';

const LINT_CASES: readonly RuleCase[] = [
  rule(
    `${LOG}/any.ts`,
    'export const same = (value: any): unknown => value;\n',
    'lint/suspicious/noExplicitAny',
  ),
  rule(`${LOG}/console.ts`, "console.log('not masked');\n", 'lint/suspicious/noConsole'),
  rule(`${LOG}/barrel.ts`, "export { part } from './part.ts';\n", 'lint/performance/noBarrelFile'),
  rule(
    `${LOG}/barrel-all.ts`,
    "export * from './part.ts';\n",
    'lint/performance/noBarrelFile',
    'lint/performance/noReExportAll',
  ),
  rule(`${LOG}/complex.ts`, TOO_COMPLEX, 'lint/complexity/noExcessiveCognitiveComplexity'),
  rule(
    `${LOG}/import-type.ts`,
    "import { Part } from './part.ts';\n\nexport const same = (value: Part): Part => value;\n",
    'lint/style/useImportType',
  ),
  importing(`${LOG}/node-protocol.ts`, ['fs'], 'lint/style/useNodejsImportProtocol'),
  rule(
    `${LOG}/non-null.ts`,
    'export const first = (list: string[]): string => list[0]!;\n',
    'lint/style/noNonNullAssertion',
  ),
  rule(
    `${LOG}/unused-import.ts`,
    "import { part } from './part.ts';\n\nexport const one = 1;\n",
    'lint/correctness/noUnusedImports',
  ),
  rule(
    `${LOG}/unused-variable.ts`,
    'const forgotten = 1;\n\nexport const two = 2;\n',
    'lint/correctness/noUnusedVariables',
  ),

  // The environment, and ways around the rule.
  rule(`${LOG}/env.ts`, readsEnv, ENV),
  rule('packages/cli/src/env.ts', readsEnv, ENV),
  rule(
    `${LOG}/env-computed.ts`,
    "export const home = process['env'].RELAY_HOME;\n",
    ENV,
    'lint/complexity/useLiteralKeys',
  ),
  rule(`${LOG}/env-global.ts`, 'export const home = globalThis.process.env.RELAY_HOME;\n', ENV),
  rule(
    `${LOG}/env-import.ts`,
    "import { env } from 'node:process';\n\nexport const home = env.RELAY_HOME;\n",
    ENV,
  ),
  rule(`${LOG}/env-import-default.ts`, `import process from 'node:process';\n\n${readsEnv}`, ENV),
  rule(
    `${LOG}/env-destructured.ts`,
    'const { env } = process;\n\nexport const home = env.RELAY_HOME;\n',
    'plugin',
  ),
  rule('packages/cli/src/config.ts', readsEnv),
  rule('scripts/reads-env.ts', `console.log('fine');\n${readsEnv}`),
  rule(
    `${LOG}/lint.test.ts`,
    'const { env } = process;\nconsole.log([process.env.HOME!.length, env]);\n',
  ),
];

export const RULE_CASES: readonly RuleCase[] = [...IMPORT_CASES, ...LINT_CASES];
