// Writes the published package.json: only what the bundles still need, at the exact versions that our own packages
// name.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
}

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

export function publishedManifest(root: string, needed: ReadonlySet<string>): object {
  const own = readManifest(root);
  const packages = ['contract', 'core', 'daemon', 'cli', 'simulator'].map((name) =>
    readManifest(join(root, 'packages', name)),
  );
  const declared = Object.assign({}, ...packages.map((manifest) => manifest.dependencies));
  const optionalDependencies: Record<string, string> = Object.assign(
    {},
    ...packages.map((manifest) => manifest.optionalDependencies),
  );
  const peerDependencies: Record<string, string> = Object.assign(
    {},
    ...packages.map((manifest) => manifest.peerDependencies),
  );
  const required = [...needed].filter(
    (name) => !(name in optionalDependencies) && !(name in peerDependencies),
  );
  const dependencies = Object.fromEntries(
    required.sort().map((name) => {
      if (!(name in declared)) throw new Error(`No package.json of ours declares ${name}.`);
      return [name, declared[name]];
    }),
  );
  return {
    name: 'relay-agent',
    version: own.version,
    description: own.description,
    license: own.license,
    type: 'module',
    bin: { relay: 'bin/relay.js' },
    exports: {
      './client': { types: './client/index.d.ts', default: './client/index.js' },
      './simulator': {
        types: './simulator/types/simulator.d.ts',
        default: './simulator/simulator.js',
      },
      './simulator/preload': './simulator/preload.js',
      './model': {
        types: './simulator/types/model/server.d.ts',
        default: './simulator/model.js',
      },
      './relay.config.schema.json': './relay.config.schema.json',
    },
    // The client has no side effects, so bundlers can drop what a program does not use.
    sideEffects: ['./bin/*', './cli/*', './daemon/*', './simulator/*', './web/**'],
    files: [
      ...['bin', 'cli', 'client', 'daemon', 'simulator', 'web', 'docs', 'extension'],
      ...['LICENCES.md', 'NOTICES.md', 'sbom.cdx.json', 'relay.config.schema.json'],
    ],
    engines: own.engines,
    dependencies,
    optionalDependencies,
    peerDependencies,
    peerDependenciesMeta: Object.assign(
      {},
      ...packages.map((manifest) => manifest.peerDependenciesMeta),
    ),
  };
}
