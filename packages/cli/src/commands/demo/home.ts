// Where a demo lives: the folder that was asked for, or a temporary one that is deleted at the end.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
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
    return { path, close: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
  }
  const path = resolve(asked);
  if (!existsSync(path)) await mkdir(path, { recursive: true, mode: 0o700 });
  return { path, close: async () => {} };
}
