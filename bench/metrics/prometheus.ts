// A real Prometheus on loopback, where one is installed: it scrapes the daemon with its own token and answers the
// dashboard's queries. Invariant: after `close` neither its process nor its files are left.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeFolder } from '@relay/testing/remove-folder';

export interface Prometheus {
  /** How many series a query returns a number for. */
  count(query: string): Promise<number>;
  close(): Promise<void>;
}

/** Null if none is on the path. */
export const findPrometheus = (path: string): string | null =>
  path
    .split(delimiter)
    .map((folder) => join(folder, 'prometheus'))
    .find((file) => existsSync(file)) ?? null;

export async function startPrometheus(
  program: string,
  target: { readonly port: number; readonly token: string },
  everySeconds: number,
): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'relay-prometheus-'));
  const port = await freePort();
  await writeFile(join(folder, 'token'), target.token, { mode: 0o600 });
  await writeFile(join(folder, 'prometheus.yml'), settings(folder, target.port, everySeconds));
  const child = spawn(
    program,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  for (let n = 0; n < 120; n++) {
    if (await isReady(url)) break;
    await sleep(500);
  }
  return {
    count: (query) => countOf(url, query),
    async close() {
      child.kill('SIGTERM');
      await ended;
      await removeFolder(folder);
    },
  };
}

const settings = (folder: string, port: number, everySeconds: number): string =>
  JSON.stringify({
    global: { scrape_interval: `${everySeconds}s`, scrape_timeout: `${everySeconds}s` },
    scrape_configs: [
      {
        job_name: 'relay',
        authorization: { credentials_file: join(folder, 'token') },
        static_configs: [{ targets: [`127.0.0.1:${port}`] }],
      },
    ],
  });

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/-/ready`).then(
    ({ ok }) => ok,
    () => false,
  );

async function countOf(url: string, query: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query })}`);
  const { status, error, data } = (await answer.json()) as {
    status: string;
    error?: string;
    data: { result: readonly { readonly value: readonly [number, string] }[] };
  };
  if (status !== 'success') throw new Error(`${query}: ${error}`);
  return data.result.filter(({ value: [, text] }) => text !== 'NaN').length;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
