// The published package, built once for a test run: the first test that needs it builds it into a folder that the run's
// setup created and removes; or a copy of TEST_BUILT, which must be built from this checkout. Its npm packages are the
// checkout's.
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
  // Like an installed package: every user of the machine may run it.
  chmodSync(folder, 0o755);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  // An ending process may still be writing Node's compile cache.
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  return { folder, remove };
}

/** Node's compile cache for every process that runs it, so that no home compiles it again. */
export const compiledOf = (built: string): string => join(dirname(built), 'compiled');

/** One process builds while others wait: three builds at once would take longer than a test's timeout. */
export async function builtIn(builds: string): Promise<string> {
  const built = join(builds, 'dist');
  while (!existsSync(built)) {
    if (!(await begins(builds))) {
      await sleep(100);
      continue;
    }
    try {
      // Another process may have finished between the check and the lock.
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

/** True for one caller only. */
const begins = (builds: string): Promise<boolean> =>
  mkdir(join(builds, BUILDING)).then(
    () => true,
    () => false,
  );
