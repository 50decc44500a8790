// The package as it is published, built once for a run: whoever needs it first builds it, into a folder
// that the run's setup made and removes. Its npm packages are the checkout's.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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

/** Two may build at once, also in one worker; whoever is done first has made the one that counts. */
export async function builtIn(builds: string): Promise<string> {
  const built = join(builds, 'dist');
  if (existsSync(built)) return built;
  const draft = join(builds, `dist ${randomUUID()}`);
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/build.ts'), '--out', draft]);
  await rename(draft, built).catch(() => rm(draft, { recursive: true, force: true }));
  return built;
}
