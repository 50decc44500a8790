// The package as it is published, built once for a run: whoever needs it first builds it, into a folder
// that the run's setup made and removes. Its npm packages are the checkout's.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    builds: string;
  }
}

const ROOT = resolve(import.meta.dirname, '../../..');

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
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

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
      await rm(join(builds, BUILDING), { recursive: true });
    }
  }
  return built;
}

async function build(builds: string, built: string): Promise<void> {
  const draft = join(builds, 'draft');
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/build.ts'), '--out', draft]);
  await rename(draft, built);
}

const BUILDING = 'building';

/** True for one alone. */
const begins = (builds: string): Promise<boolean> =>
  mkdir(join(builds, BUILDING)).then(
    () => true,
    () => false,
  );
