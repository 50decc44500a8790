// Bundles one of our programs: our own packages and, where asked, everything else into few files, so
// that starting it opens few. Reports which npm packages the result still needs.
import { isBuiltin } from 'node:module';
import { build, type Plugin } from 'esbuild';

interface Bundle {
  /** The name of a file without its ending → the source it is made from. */
  readonly entries: Readonly<Record<string, string>>;
  readonly outdir: string;
  /** Whether npm packages go in too. Worth it only where every millisecond of a start is felt. */
  readonly inlinePackages: boolean;
  /** Modules that are loaded by few commands and are heavy: left in a file of their own. */
  readonly apart?: Readonly<Record<string, string>>;
}

export async function bundle(options: Bundle): Promise<Set<string>> {
  const needed = new Set<string>();
  await build({
    entryPoints: { ...options.entries },
    outdir: options.outdir,
    bundle: true,
    // One file opens faster than ten; what a command does not use is not evaluated either way.
    splitting: !options.inlinePackages,
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
      ...(options.inlinePackages ? [noChildProcess] : [externalPackages(needed)]),
      lazyBuiltins,
    ],
  });
  return needed;
}

// An ES import of a built-in reads every one of its exports, and some are slow to make: `node:http`
// alone then costs as much as all of `node -e 0`, because it holds the WebSocket of undici.
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

// Commander imports `node:child_process` for a feature that nobody here uses.
const noChildProcess: Plugin = {
  name: 'no-child-process',
  setup(context) {
    context.onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
      importer.includes('/commander/') ? { path, namespace: 'unused' } : undefined,
    );
    context.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({
      contents: 'export default {};',
    }));
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

function externalPackages(needed: Set<string>): Plugin {
  return {
    name: 'external-packages',
    setup(context) {
      context.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === 'entry-point' || path.startsWith('@relay/') || isBuiltin(path))
          return undefined;
        needed.add(packageOf(path));
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
