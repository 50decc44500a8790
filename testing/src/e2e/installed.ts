// Packs the package as it would be published, installs it globally below a prefix with install scripts off, and
// measures it. Invariant: nothing is written outside the prefix except npm's own cache.
import { execFile } from 'node:child_process';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export interface Archive {
  readonly file: string;
  readonly bytes: number;
}

export interface Weight {
  readonly bytes: number;
  /** Packages below `node_modules`, including ours. */
  readonly packages: number;
}

/** `built` is the output of scripts/build.ts. */
export async function pack(built: string, into: string): Promise<Archive> {
  const args = ['pack', '--silent', '--pack-destination', into];
  const { stdout } = await execute('npm', args, { cwd: built });
  const file = join(into, stdout.trim());
  return { file, bytes: (await lstat(file)).size };
}

export interface InstallOptions {
  readonly prefix: string;
  /** Defaults to npm's own; an empty folder simulates a machine that has never installed anything. */
  readonly cache?: string;
}

/** Returns the `relay` that a shell finds. */
export async function install(
  { file }: Archive,
  { prefix, cache }: InstallOptions,
): Promise<string> {
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefix', prefix];
  const from = cache === undefined ? ['--prefer-offline'] : ['--cache', cache];
  await execute('npm', ['install', '--global', ...quietly, ...from, file]);
  return join(prefix, 'bin/relay');
}

export async function weigh(prefix: string): Promise<Weight> {
  const entries = await readdir(prefix, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => !entry.isDirectory())
    .map(async (entry) => (await lstat(join(entry.parentPath, entry.name))).size);
  return {
    bytes: (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0),
    packages: entries.filter(
      (entry) =>
        entry.name === 'package.json' && /\/node_modules\/(@[^/]+\/)?[^/]+$/.test(entry.parentPath),
    ).length,
  };
}

export async function uninstall(prefix: string): Promise<void> {
  await execute('npm', ['uninstall', '--global', '--prefix', prefix, 'relay-agent']);
}
