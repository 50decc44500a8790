// Where a demo lives: the folder that was asked for, or a temporary one that is deleted at the end. In a
// new one messages leave at once: the account they might harm is not real.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export interface DemoHome {
  readonly path: string;
  close(): Promise<void>;
}

export async function openHome(asked: string | null): Promise<DemoHome> {
  if (asked === null) {
    // One level down: the key of a home lies beside it and is deleted with it.
    const folder = await mkdtemp(join(tmpdir(), 'relay-demo-'));
    const path = join(folder, 'home');
    await mkdir(path, { mode: 0o700 });
    await configure(path);
    return { path, close: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
  }
  const path = resolve(asked);
  await mkdir(path, { recursive: true, mode: 0o700 });
  await configure(path);
  return { path, close: async () => {} };
}

async function configure(home: string): Promise<void> {
  const file = join(home, 'config.json');
  if (existsSync(file)) return;
  const settings = { pacing: { enabled: false } };
  await writeFile(file, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
}
