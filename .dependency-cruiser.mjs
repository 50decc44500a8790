// Who may import whom: the import table of ARCHITECTURE.md as data, and the rules made from it.
// Invariant: a folder that is not in the table may import nothing, so a new folder begins here.
// scripts/house/rules.test.ts proves that every rule below fires.

/** A folder of the daemon → what it may import besides `core` and itself. */
const DAEMON = {
  whatsapp: [],
  llm: [],
  agent: [],
  store: [],
  home: [],
  log: [],
  jobs: ['store'],
  search: ['store'],
  egress: [],
  eval: ['agent', 'store'],
  inbox: ['store', 'jobs'],
  outbox: ['store', 'jobs'],
  outside: ['egress', 'store', 'jobs'],
  webhooks: ['egress', 'store', 'jobs'],
  traces: ['egress', 'store'],
  backup: ['store', 'jobs'],
  health: ['store', 'jobs'],
  metrics: ['store'],
  gate: ['store', 'jobs', 'outbox'],
  schedule: ['store', 'jobs', 'gate'],
  retention: ['store', 'jobs'],
  tools: ['agent', 'egress', 'gate', 'schedule', 'search', 'store'],
  'flows/*': ['agent', 'tools', 'gate', 'schedule', 'search', 'store', 'jobs'],
  router: ['flows', 'jobs', 'store'],
  http: ['gate', 'schedule', 'search', 'store', 'flows/*/service.ts'],
  mcp: ['gate', 'schedule', 'search', 'store'],
  'config.ts': [],
};

/** Composition: the only files that may import every folder, and the only ones that reach whatsapp, llm and config. */
const COMPOSITION = [
  'main.ts',
  'daemon.ts',
  'compose.ts',
  'features.ts',
  'database-server.ts',
  'schema.ts',
  'http-port.ts',
  'account-lease.ts',
  'message-pipeline.ts',
];

/** A package → the packages it may import besides itself. */
const PACKAGES = {
  core: [],
  daemon: ['core'],
  cli: ['core'],
  web: ['core'],
  simulator: ['core'],
};

/** `relay demo` alone brings its own WhatsApp network. */
const DEMO = '^packages/cli/src/(commands/)?demo(/|[.]ts$)';

/** The only packages from npm that `core` may stand on: pure, all of them. */
const CORE_DEPENDENCIES = ['zod', 'eventsource-parser', 'libphonenumber-js', 'croner'];

/** Folders beside the packages, for the people who build Relay: nothing that ships imports them. */
const WORKSHOP = ['testing', 'bench', 'torture', 'scripts', 'requirements'];

/** Tests, and the helpers that a package keeps for them in folders named `testing`. */
const HELPERS = '^packages/.+/testing/';
const TESTS = ['[.]test[.]tsx?$', HELPERS];
const SRC = '^packages/daemon/src/';

/** `store` → everything below it; `config.ts` → that file; `*` is any one folder. */
const inDaemon = (place) =>
  `${SRC}${place.replaceAll('.', '[.]').replace('*', '[^/]+')}${place.endsWith('.ts') ? '$' : '/'}`;

const error = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const daemonRows = Object.entries(DAEMON).map(([place, allowed]) => {
  // `$1` in a rule's target is what the first group of its source matched: one flow, itself.
  const from = inDaemon(place).replace('[^/]+', '([^/]+)');
  const itself = place.includes('*') ? `${SRC}${place.replace('*', '$1')}/` : inDaemon(place);
  return error(
    `daemon/${place}`,
    `may import ${['core', ...allowed].join(', ')} and nothing else of the daemon`,
    { path: from, pathNot: TESTS },
    { path: SRC, pathNot: [itself, ...allowed.map(inDaemon)] },
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

export default {
  forbidden: [
    ...daemonRows,
    daemonUnlisted,
    ...packageRows,
    error(
      'package/cli-demo',
      '`relay demo` may import core and simulator',
      { path: DEMO, pathNot: TESTS },
      { path: '^packages/', pathNot: '^packages/(cli|core|simulator)/' },
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
      'core/no-node',
      'core is pure: no built-in of Node',
      { path: '^packages/core/', pathNot: TESTS },
      { dependencyTypes: ['core'] },
    ),
    error(
      'core/dependencies',
      `core depends on ${CORE_DEPENDENCIES.join(', ')} and nothing else`,
      { path: '^packages/core/', pathNot: TESTS },
      {
        path: '(^|/)node_modules/',
        pathNot: CORE_DEPENDENCIES.map((name) => `(^|/)node_modules/${name}/`),
      },
    ),
    error(
      'gate/mints',
      'only the gate makes permits; others may name the type',
      { path: '^packages/', pathNot: [...TESTS, inDaemon('gate')] },
      { path: '^packages/core/src/policy/permit[.]ts$', dependencyTypesNot: ['type-only'] },
    ),
    error(
      'observer/no-send',
      'whoever reads a group in silence holds nothing that can send: no gate, no outbox, no tools',
      { path: inDaemon('flows/observer'), pathNot: TESTS },
      {
        path: SRC,
        pathNot: ['flows/observer', 'agent', 'jobs', 'search', 'store'].map(inDaemon),
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
