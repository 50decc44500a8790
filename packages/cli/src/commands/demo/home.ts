// Where a demo lives: the folder that was asked for, or a temporary one that is deleted at the end. In a
// new one messages leave at once, or after a moment of typing that people can see: the account they might
// harm is not real.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readSettings, settingsPath } from '../../config.ts';

export interface DemoHome {
  readonly path: string;
  /** Its agents think with the scripted model, unless somebody has chosen another for them. */
  useModel(url: string): Promise<void>;
  close(): Promise<void>;
}

const AT_ONCE = { enabled: false };
/** Somebody is seen typing, and nobody is kept waiting. */
export const WATCHED = {
  per_minute: 60,
  per_hour: 600,
  per_day: 5_000,
  first_contacts_per_day: 100,
  typing_min_ms: 500,
  typing_max_ms: 1_200,
};

export async function openHome(asked: string | null, pacing: object = AT_ONCE): Promise<DemoHome> {
  if (asked === null) {
    // One level down: the key of a home lies beside it and is deleted with it.
    const folder = await mkdtemp(join(tmpdir(), 'relay-demo-'));
    const path = join(folder, 'home');
    await mkdir(path, { mode: 0o700 });
    await configure(path, pacing);
    const close = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
    return { path, useModel: (url) => useModel(path, url), close };
  }
  const path = resolve(asked);
  await mkdir(path, { recursive: true, mode: 0o700 });
  await configure(path, pacing);
  return { path, useModel: (url) => useModel(path, url), close: async () => {} };
}

async function configure(home: string, pacing: object): Promise<void> {
  if (!existsSync(settingsPath(home))) await write(home, { pacing });
}

/** At every start, since the scripted model is then at another address. */
async function useModel(home: string, url: string): Promise<void> {
  const { settings, fault } = readSettings(home);
  const chosen = settings.model_provider && settings.model_name !== SCRIPTED;
  // What is wrong with a file of the owner's is for the daemon to say.
  if (fault !== null || chosen) return;
  await write(home, {
    ...settings,
    model_provider: 'openai-compatible',
    model_name: SCRIPTED,
    model_base_url: `${url}/v1`,
  });
}

const SCRIPTED = 'scripted';

const write = (home: string, settings: object): Promise<void> =>
  writeFile(settingsPath(home), `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
