// Who may import whom: the import table of ARCHITECTURE.md as data, and the rules made from it.
// Invariant: a folder that is not in the table may import nothing, so a new folder begins here.
// scripts/house/rules.test.ts proves that every rule below fires.

const DB = 'platform/db';
const JOBS = 'platform/jobs';
const GATE = 'pipeline/gate';
/** May be imported by every folder. */
const POLL_LOOP = 'platform/poll-loop.ts';
const SHARED_INTERVAL = 'platform/shared-interval.ts';
const SHARED_FEATURES = ['features/schedules', 'features/search'];

/** What a feature with an agent may import. */
const AGENT = ['models', ...SHARED_FEATURES, GATE, DB, JOBS];

/** A folder of the daemon → what it may import besides `contract`, `core` and itself. */
const DAEMON = {
  // The path of a message: intake → router → a feature → gate → outbox.
  'pipeline/intake': [DB, JOBS],
  'pipeline/router': [
    'features/assistant',
    'features/auto-reply',
    'features/conversations',
    'features/group-answers',
    'features/observer',
    DB,
    JOBS,
  ],
  'features/assistant': [...AGENT, 'features/web-search'],
  'features/auto-reply': [...AGENT, 'features/web-search'],
  'features/conversations': AGENT,
  'features/group-answers': AGENT,
  'features/observer': ['models', 'features/search', DB, JOBS],
  'features/web-search': ['models', 'platform/egress'],
  'features/schedules': [GATE, DB, JOBS],
  'features/search': [DB],
  'features/accounts': ['platform/egress', DB],
  'features/activity': [DB],
  'features/backup': ['platform/home', DB, JOBS],
  'features/chat-import': [DB],
  'features/chats': [DB],
  'features/devices': [DB],
  'features/digest-export': ['platform/egress', DB, JOBS],
  'features/eval': ['models', DB],
  'features/health': [DB, JOBS],
  'features/media': ['features/search', 'platform/egress', 'platform/home', DB, JOBS],
  'features/metrics': [DB, JOBS],
  'features/retention': ['features/search', DB, JOBS],
  'features/traces': ['platform/egress', DB],
  'features/webhooks': ['platform/egress', DB, JOBS],
  'features/notifications': ['platform/egress', DB, JOBS],
  'pipeline/gate': ['pipeline/outbox', DB, JOBS],
  'pipeline/outbox': [DB, JOBS],
  'interfaces/http': [GATE, ...SHARED_FEATURES, DB, 'features/*/service.ts'],
  'interfaces/mcp': [GATE, ...SHARED_FEATURES, DB],
  models: ['platform/egress'],
  whatsapp: [],
  'platform/jobs': [DB],
  'platform/db': [],
  'platform/egress': [],
  'platform/home': [],
  'platform/log': [],
  [POLL_LOOP]: [],
  [SHARED_INTERVAL]: [],
  'config.ts': [],
};

/** Composition: the only files that may import every folder, and the only ones that reach whatsapp, models and config. */
const COMPOSITION = [
  'main.ts',
  'daemon.ts',
  'drill.ts',
  'compose.ts',
  'account.ts',
  'accounts.ts',
  'features.ts',
  'database-server.ts',
  'schema.ts',
  'start-checks.ts',
  'http-port.ts',
  'account-lease.ts',
  'account-exchange.ts',
  'remote-account.ts',
  'worker.ts',
  'message-pipeline.ts',
];

/** A package → the packages it may import besides itself. */
const PACKAGES = {
  contract: [],
  core: ['contract'],
  daemon: ['core', 'contract'],
  cli: ['core', 'contract'],
  web: ['core', 'contract'],
  simulator: ['core', 'contract'],
};

/** `relay demo` alone brings its own WhatsApp network. */
const DEMO = '^packages/cli/src/(commands/)?demo(/|[.]ts$)';

/** A pure package → the only packages from npm that it may import: pure too, all of them. */
const PURE_DEPENDENCIES = {
  contract: ['zod', 'eventsource-parser'],
  core: ['zod', 'libphonenumber-js', 'croner'],
};

/** Folders beside the packages, for the people who build Relay: nothing that ships imports them. */
const WORKSHOP = ['testing', 'bench', 'torture', 'scripts', 'requirements'];

/** Tests, and the helpers that a package keeps for them in folders named `testing`. */
const HELPERS = '^packages/.+/testing/';
const TESTS = ['[.]test[.]tsx?$', HELPERS];
const SRC = '^packages/daemon/src/';

/** `models` → everything below it; `config.ts` → that file; `*` is any one folder. */
const inDaemon = (place) =>
  `${SRC}${place.replaceAll('.', '[.]').replace('*', '[^/]+')}${place.endsWith('.ts') ? '$' : '/'}`;

const error = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const daemonRows = Object.entries(DAEMON).map(([place, allowed]) => {
  return error(
    `daemon/${place}`,
    `may import ${['contract', 'core', ...allowed].join(', ')} and nothing else of the daemon`,
    { path: inDaemon(place), pathNot: TESTS },
    { path: SRC, pathNot: [place, POLL_LOOP, SHARED_INTERVAL, ...allowed].map(inDaemon) },
  );
});

const daemonUnlisted = error(
  'daemon/unlisted',
  'this place is not in the import table: give it a row in .dependency-cruiser.mjs',
  { path: SRC, pathNot: [...TESTS, ...[...Object.keys(DAEMON), ...COMPOSITION].map(inDaemon)] },
  { path: '^packages/' },
);

const packageRows = Object.entries(PACKAGES).map(([name, allowed]) =>
  error(
    `package/${name}`,
    `may import ${allowed.join(', ') || 'no other package'}`,
    { path: `^packages/${name}/`, pathNot: [...TESTS, DEMO] },
    { path: '^packages/', pathNot: [name, ...allowed].map((other) => `^packages/${other}/`) },
  ),
);

const purePackageRows = Object.entries(PURE_DEPENDENCIES).flatMap(([name, allowed]) => {
  const from = { path: `^packages/${name}/`, pathNot: TESTS };
  return [
    error(`${name}/no-node`, `${name} is pure: no built-in of Node`, from, {
      dependencyTypes: ['core'],
    }),
    error(
      `${name}/dependencies`,
      `${name} depends on ${allowed.join(', ')} and no other package from npm`,
      from,
      {
        path: '(^|/)node_modules/',
        pathNot: allowed.map((dependency) => `(^|/)node_modules/${dependency}/`),
      },
    ),
  ];
});

export default {
  forbidden: [
    ...daemonRows,
    daemonUnlisted,
    ...packageRows,
    ...purePackageRows,
    error(
      'package/cli-demo',
      '`relay demo` may import contract, core and simulator',
      { path: DEMO, pathNot: TESTS },
      { path: '^packages/', pathNot: '^packages/(cli|contract|core|simulator)/' },
    ),
    error(
      'ships-without-workshop',
      'what ships never imports what builds or tests it',
      { path: '^packages/', pathNot: TESTS },
      { path: `^(${WORKSHOP.join('|')})/` },
    ),
    error(
      'testing-is-for-tests',
      'testing/ may be imported by tests, what runs them, bench and torture only',
      { pathNot: [...TESTS, '^(testing|bench|torture)/', '^vitest[.]config[.]ts$'] },
      { path: ['^testing/', HELPERS] },
    ),
    error(
      'gate/mints',
      'only the gate makes permits; others may name the type',
      { path: '^packages/', pathNot: [...TESTS, inDaemon('pipeline/gate')] },
      { path: '^packages/core/src/policy/permit[.]ts$', dependencyTypesNot: ['type-only'] },
    ),
    error(
      'observer/no-send',
      'whoever reads a group in silence holds nothing that can send: no gate, no outbox, no tools',
      { path: inDaemon('features/observer'), pathNot: TESTS },
      {
        path: SRC,
        pathNot: [
          'features/observer',
          'models',
          'features/search',
          DB,
          JOBS,
          POLL_LOOP,
          SHARED_INTERVAL,
        ].map(inDaemon),
      },
    ),
    error('no-cycles', 'imports only descend', {}, { circular: true }),
    // An import that cannot be followed would slip past every rule above.
    error(
      'resolvable',
      'leads nowhere',
      // A program of somebody else, to whom the package is installed.
      { pathNot: '^testing/src/fixtures/client-program[.]ts$' },
      // What the console's build makes itself.
      { couldNotResolve: true, pathNot: '^virtual:' },
    ),
  ],
  options: {
    // Type-only imports count: a type is knowledge of the other folder too.
    tsPreCompilationDeps: true,
    // Metrics and reachability are not used by any rule above.
    skipAnalysisNotInRules: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^dist/', '^packages/[^/]+/dist/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
