// The cases of rules.test.ts: small source files, and the rules that each of them breaks.
// A case without `breaks` shows what is allowed. Paths are relative to the root of the repository.
import { dirname, relative } from 'node:path/posix';

export interface RuleCase {
  readonly file: string;
  readonly source: string;
  readonly breaks: readonly string[];
}

interface DaemonFolder {
  readonly allowed?: readonly string[];
  /** Besides `outbox` and `whatsapp`, which are added for every folder that may not import them. */
  readonly forbidden?: readonly string[];
}

const FLOW: DaemonFolder = {
  allowed: ['agent', 'tools', 'gate', 'schedule', 'search', 'store', 'jobs'],
};

/** Every folder of the daemon, with all that it may import and an example of what it may not. */
export const DAEMON_FOLDERS: Readonly<Record<string, DaemonFolder>> = {
  agent: { forbidden: ['tools'] },
  backup: { allowed: ['store', 'jobs'], forbidden: ['gate'] },
  egress: { forbidden: ['store'] },
  eval: { allowed: ['agent', 'store'], forbidden: ['gate'] },
  'flows/assistant': { ...FLOW, forbidden: ['flows/observer'] },
  'flows/auto-reply': FLOW,
  'flows/conversation': FLOW,
  'flows/group-answer': FLOW,
  'flows/observer': { allowed: ['agent', 'jobs', 'search', 'store'] },
  gate: { allowed: ['store', 'jobs', 'outbox'], forbidden: ['llm', 'tools'] },
  health: { allowed: ['store', 'jobs'], forbidden: ['gate'] },
  home: { forbidden: ['log'] },
  http: { allowed: ['gate', 'schedule', 'search', 'store'], forbidden: ['flows/assistant'] },
  inbox: { allowed: ['store', 'jobs'], forbidden: ['router'] },
  jobs: { allowed: ['store'], forbidden: ['gate'] },
  llm: { forbidden: ['agent'] },
  log: { forbidden: ['home'] },
  mcp: { allowed: ['gate', 'schedule', 'search', 'store'], forbidden: ['tools'] },
  metrics: { allowed: ['store'], forbidden: ['jobs'] },
  outbox: { allowed: ['store', 'jobs'], forbidden: ['gate'] },
  outside: { allowed: ['egress', 'store', 'jobs'], forbidden: ['gate'] },
  retention: { allowed: ['store', 'jobs'], forbidden: ['gate'] },
  router: {
    allowed: ['flows/assistant', 'flows/observer', 'jobs', 'store'],
    forbidden: ['gate'],
  },
  schedule: { allowed: ['store', 'jobs', 'gate'], forbidden: ['agent'] },
  search: { allowed: ['store'], forbidden: ['jobs'] },
  store: { forbidden: ['jobs'] },
  tools: {
    allowed: ['agent', 'egress', 'gate', 'schedule', 'search', 'store'],
    forbidden: ['llm'],
  },
  traces: { allowed: ['egress', 'store'], forbidden: ['jobs'] },
  webhooks: { allowed: ['egress', 'store', 'jobs'], forbidden: ['gate'] },
  whatsapp: { forbidden: ['store'] },
};

const DAEMON = 'packages/daemon/src';
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
    const itself = folder.startsWith('flows/') ? 'daemon/flows/*' : `daemon/${folder}`;
    const breaks = folder === 'flows/observer' ? [itself, 'observer/no-send'] : [itself];
    const forbiddenHere = ['outbox', 'whatsapp', ...forbidden].filter(
      (other) => other !== folder && !allowed.includes(other),
    );
    return [
      rule(part(folder), `export const part = '${folder}';\nexport type Part = typeof part;\n`),
      importing(`${DAEMON}/${folder}/allowed.ts`, [
        '@relay/core/ids',
        part(folder),
        ...allowed.map(part),
      ]),
      ...forbiddenHere.map((other) =>
        importing(
          `${DAEMON}/${folder}/imports-${other.replace('/', '-')}.ts`,
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
  importing(`${DAEMON}/config.ts`, [part('home')], 'daemon/config.ts'),
  importing(`${DAEMON}/http/imports-config.ts`, [`${DAEMON}/config.ts`], 'daemon/http'),
  importing(`${DAEMON}/jobs/imports-composition.ts`, [`${DAEMON}/daemon.ts`], 'daemon/jobs'),
  importing(`${DAEMON}/stray.ts`, [part('store')], 'daemon/unlisted'),
  importing(`${DAEMON}/helpers/unlisted.ts`, ['@relay/core/ids'], 'daemon/unlisted'),

  // Of a flow, http sees the operations only; the observer may not even name what sends.
  rule(`${DAEMON}/flows/assistant/service.ts`, 'export const service = 1;\n'),
  importing(`${DAEMON}/http/imports-service.ts`, [`${DAEMON}/flows/assistant/service.ts`]),
  importing(`${DAEMON}/flows/observer/imports-gate.ts`, [part('gate')], 'observer/no-send'),
  importing(`${DAEMON}/flows/observer/imports-tools.ts`, [part('tools')], 'observer/no-send'),
  rule(
    `${DAEMON}/whatsapp/imports-type.ts`,
    "import type { Part } from '../store/part.ts';\n\nexport type Other = Part;\n",
    'daemon/whatsapp',
  ),

  // Permits.
  rule(
    'packages/core/src/policy/permit.ts',
    'export type Permit = { id: string };\nexport const mintPermit = (id: string): Permit => ({ id });\n',
  ),
  importing(`${DAEMON}/gate/mints.ts`, ['@relay/core/policy/permit']),
  importing(`${DAEMON}/outbox/mints.ts`, ['@relay/core/policy/permit'], 'gate/mints'),
  rule(
    `${DAEMON}/outbox/takes-permit.ts`,
    "import type { Permit } from '@relay/core/policy/permit';\n\nexport const idOf = (permit: Permit) => permit.id;\n",
  ),

  // Packages.
  importing('packages/core/src/ids.ts', ['zod']),
  importing('packages/core/src/api/status.ts', ['packages/core/src/ids.ts']),
  importing('packages/core/src/imports-daemon.ts', ['@relay/daemon/store/part'], 'package/core'),
  importing('packages/core/src/imports-kysely.ts', ['kysely'], 'core/dependencies'),
  importing(
    'packages/core/src/imports-node.ts',
    ['node:fs'],
    'core/no-node',
    'lint/correctness/noNodejsModules',
  ),
  importing('packages/core/src/allowed.test.ts', ['node:fs', 'kysely']),
  importing('packages/cli/src/shown.ts', ['@relay/core/api/status']),
  importing('packages/cli/src/imports-daemon.ts', ['@relay/daemon/store/part'], 'package/cli'),
  importing('packages/cli/src/imports-simulator.ts', ['@relay/simulator/phone'], 'package/cli'),
  importing('packages/cli/src/demo.ts', ['@relay/simulator/phone']),
  importing('packages/cli/src/commands/demo.ts', ['@relay/daemon/store/part'], 'package/cli-demo'),
  importing(`${DAEMON}/store/imports-cli.ts`, ['@relay/cli/shown'], 'package/daemon'),
  importing('packages/simulator/src/phone.ts', ['@relay/core/ids']),
  importing(
    'packages/simulator/src/imports-daemon.ts',
    ['@relay/daemon/store/part'],
    'package/simulator',
  ),
  importing('packages/web/src/imports-cli.tsx', ['packages/cli/src/shown.ts'], 'package/web'),

  // Code for tests, and code that does not ship.
  importing('packages/core/src/policy/testing/sample.ts', ['kysely']),
  importing(
    'packages/core/src/imports-test-helper.ts',
    ['packages/core/src/policy/testing/sample.ts'],
    'testing-is-for-tests',
  ),
  importing('testing/src/prepared.ts', ['@relay/daemon/store/part']),
  importing('bench/allowed.ts', ['@relay/testing/prepared']),
  importing('torture/allowed.ts', ['@relay/testing/prepared']),
  importing('scripts/tool.ts', ['@relay/daemon/store/part']),
  importing('scripts/imports-testing.ts', ['@relay/testing/prepared'], 'testing-is-for-tests'),
  importing(`${DAEMON}/http/imports-script.ts`, ['scripts/tool.ts'], 'ships-without-workshop'),
  importing(
    `${DAEMON}/jobs/imports-testing.ts`,
    ['@relay/testing/prepared'],
    'ships-without-workshop',
    'testing-is-for-tests',
  ),
  importing(`${DAEMON}/store/allowed.test.ts`, [
    '@relay/simulator/phone',
    '@relay/testing/prepared',
    part('gate'),
  ]),

  // Cycles (reported once, for the first file) and imports that lead nowhere.
  importing(`${DAEMON}/jobs/cycle-one.ts`, [`${DAEMON}/jobs/cycle-two.ts`], 'no-cycles'),
  importing(`${DAEMON}/jobs/cycle-two.ts`, [`${DAEMON}/jobs/cycle-one.ts`]),
  rule(
    `${DAEMON}/jobs/type-cycle-one.ts`,
    "import type { Two } from './type-cycle-two.ts';\n\nexport type One = Two | 1;\n",
    'no-cycles',
  ),
  rule(
    `${DAEMON}/jobs/type-cycle-two.ts`,
    "import type { One } from './type-cycle-one.ts';\n\nexport type Two = One | 2;\n",
  ),
  importing(`${DAEMON}/jobs/imports-nothing.ts`, ['@relay/core/nowhere'], 'resolvable'),
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

const LOG = `${DAEMON}/log`;
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

  // The environment, and the ways around the rule.
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
