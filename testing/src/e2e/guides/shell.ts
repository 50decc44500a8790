// The shell for a page's commands, in a separate folder, with `relay`, `npx` and `curl` that reach the page's demo.
// Exports of one block last for the next one, as in one terminal. Invariant: after `close`, no daemon that a page
// started runs, and none of its files is left.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { removeFolder } from '../../remove-folder.ts';
import { builtIn } from '../built.ts';
import type { Demo } from '../demo.ts';

export interface CommandOutput {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

/** An HTTP error is a failure; a stream is read for a while, since it never ends by itself. */
const CURL = `
case " $* " in
  *" -N "*)
    out=$(mktemp)
    code=$(/usr/bin/curl --silent --max-time 5 -o "$out" -w '%{http_code}' "$@")
    cat "$out"
    [ "$code" = 200 ] ;;
  *) exec /usr/bin/curl --silent --show-error --fail-with-body "$@" ;;
esac`;

export async function openGuideShell(demo: Demo): Promise<GuideShell> {
  const folder = await mkdtemp(join(tmpdir(), 'relay-guide-'));
  const place = new GuideShell(folder, demo);
  const relay = join(await builtIn(inject('builds')), 'bin/relay.js');
  await mkdir(join(folder, 'bin'));
  await place.program('relay', `exec "${process.execPath}" "${relay}" "$@"`);
  await place.program('npx', 'exec "$@"');
  await place.program('curl', CURL);
  await writeFile(place.exported, '');
  await place.useKeyOf(demo.home);
  return place;
}

export class GuideShell {
  readonly folder: string;
  readonly exported: string;
  readonly #demo: Demo;

  constructor(folder: string, demo: Demo) {
    this.folder = folder;
    this.exported = join(folder, '.exported');
    this.#demo = demo;
  }

  /** Commands that read the home themselves find its key where Relay keeps one by default. */
  async useKeyOf(home: string): Promise<void> {
    const { id } = JSON.parse(await readFile(join(home, 'vault.json'), 'utf8')) as { id: string };
    const keys = join(this.folder, '.local/state/relay-agent');
    await mkdir(keys, { recursive: true, mode: 0o700 });
    await copyFile(`${home}.key`, join(keys, `${id}.key`));
  }

  async program(name: string, script: string): Promise<void> {
    const file = join(this.folder, 'bin', name);
    await writeFile(file, `#!/usr/bin/env bash\n${script}\n`);
    await chmod(file, 0o755);
  }

  /** Writes a file there, as the page tells its reader to. */
  async file(name: string, content: string | Uint8Array): Promise<void> {
    await writeFile(join(this.folder, name), content);
  }

  async run(command: string): Promise<CommandOutput> {
    const keep = `trap 'export -p > "${this.exported}"' EXIT`;
    const script = `. "${this.exported}"; ${keep}; set -euo pipefail\n${this.#here(command)}`;
    const child = spawn('bash', ['-c', script], {
      cwd: this.folder,
      env: {
        PATH: [join(this.folder, 'bin'), dirname(process.execPath), process.env.PATH].join(':'),
        HOME: this.folder,
        RELAY_HOME: this.#demo.home,
        NO_COLOR: '1',
        COLUMNS: '120',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = Promise.all([text(child.stdout), text(child.stderr)]);
    const [exit] = await once(child, 'close');
    const [out, err] = await said;
    return { exit, out: this.#there(out), err: this.#there(err) };
  }

  /** Replaces the page's default port and date with the demo's port and today. */
  #here(command: string): string {
    const today = new Date().toLocaleDateString('sv');
    return command
      .replaceAll('http://127.0.0.1:3214', this.#demo.api)
      .replace(/RELAY_PORT=\d+/g, 'RELAY_PORT=0')
      .replace(/relay-\d{4}-\d\d-\d\d\.tar\.gz/g, `relay-${today}.tar.gz`);
  }

  #there(output: string): string {
    return output
      .replaceAll(this.#demo.api, 'http://127.0.0.1:3214')
      .replaceAll(this.#demo.home, '/home/ana/.relay-agent');
  }

  async close(): Promise<void> {
    const started = globSync('*/daemon.pid', { cwd: this.folder });
    for (const file of started)
      await this.run(`RELAY_HOME="${join(this.folder, dirname(file))}" relay stop`);
    await removeFolder(this.folder);
  }
}
