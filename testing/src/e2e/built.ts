// The package as it is published, built once for a run: whoever needs it first builds it, into a folder
// that the run's setup made and removes; or a copy of what TEST_BUILT names, which was built from this very
// checkout. Its npm packages are the checkout's.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    builds: string;
  }
}

const ROOT = resolve(import.meta.dirname, '../../..');
const BUILD = join(ROOT, 'scripts/build.ts');

export default function setup(project: TestProject): () => void {
  const builds = openBuilds();
  project.provide('builds', builds.folder);
  return builds.remove;
}

export function openBuilds(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'relay built '));
  // As an installed package is: whoever uses the machine may run it.
  chmodSync(folder, 0o755);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  // A process that ends may still be writing down what Node compiled for it.
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  return { folder, remove };
}

/** What Node compiled of it, for every process that runs it: nothing is compiled anew for each home. */
export const compiledOf = (built: string): string => join(dirname(built), 'compiled');

/** One builds, whoever else needs it waits: three at once would take each of them longer than a test has. */
export async function builtIn(builds: string): Promise<string> {
  const built = join(builds, 'dist');
  while (!existsSync(built)) {
    if (!(await begins(builds))) {
      await sleep(100);
      continue;
    }
    try {
      // Another may have ended between the look and the lock.
      if (!existsSync(built)) await build(builds, built);
    } finally {
      await rm(join(builds, BUILDING), { recursive: true, force: true, maxRetries: 20 });
    }
  }
  return built;
}

async function build(builds: string, built: string): Promise<void> {
  const draft = join(builds, 'draft');
  const given = process.env.TEST_BUILT;
  if (given) await cp(resolve(ROOT, given), draft, { recursive: true });
  else await promisify(execFile)(process.execPath, [BUILD, '--out', draft]);
  await rename(draft, built);
}

const BUILDING = 'building';

/** True for one alone. */
const begins = (builds: string): Promise<boolean> =>
  mkdir(join(builds, BUILDING)).then(
    () => true,
    () => false,
  );
