// `relay worker` and `relay api` run one part of Relay in this terminal, for several machines on one database; `relay
// workers` lists the workers.
import type { ListedWorker, WorkerList } from '@relay/contract/api/workers';
import { RelayError } from '@relay/contract/errors';
import { clientOf } from '../api.ts';
import type { CommandCall, RunCommand } from '../command.ts';
import { launchDaemon, waitForDaemonExit, waitForDaemonReady } from '../daemon-process.ts';
import { formatCount, formatRoughDuration } from '../format.ts';

const DEFAULT_CAPACITY = 100;
const MOST = 10_000;

export const runWorkerCommand: RunCommand = async (call) => {
  const { capacity = String(DEFAULT_CAPACITY) } = call.options;
  const accounts = wholeNumber('--capacity', capacity, 1, MOST);
  const { port = '0' } = call.options;
  return runHere(
    { ...call, options: { ...call.options, port } },
    ['--worker', String(accounts)],
    (port) => [
      `The worker is ready. Health checks: http://127.0.0.1:${port}/readyz`,
      `It takes up to ${formatCount(accounts, 'account')}. Ctrl-C hands them over and stops it.`,
    ],
  );
};

export const runApiCommand: RunCommand = (call) =>
  runHere(call, ['--api'], (port) => [
    `The API is ready at http://127.0.0.1:${port}. It holds no accounts: start workers with \`relay worker\`.`,
  ]);

async function runHere(
  { config, terminal, options }: CommandCall,
  args: readonly string[],
  describe: (port: number) => readonly string[],
): Promise<number> {
  if (config.databaseUrl === null) throw new RelayError('worker_needs_database');
  const port = options.port === undefined ? null : wholeNumber('--port', options.port, 0, 65_535);
  const daemon = launchDaemon(config, true, { args, port });
  const ready = await waitForDaemonReady(daemon, terminal);
  if (terminal.json) terminal.writeJson({ running: true, pid: ready.pid, port: ready.port });
  else for (const line of describe(ready.port)) terminal.notice(line);
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => daemon.kill('SIGTERM'));
  await waitForDaemonExit(daemon);
  return daemon.exitCode ?? 1;
}

function wholeNumber(name: string, given: unknown, least: number, most: number): number {
  const number = Number(given);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new RelayError('usage', { what: `${name} takes a whole number from ${least} to ${most}.` });
}

export const listWorkersCommand: RunCommand = async ({ config, terminal }) => {
  const list = await clientOf(config.home).get('/api/workers');
  if (terminal.json) terminal.writeJson(list);
  else for (const line of formatWorkers(list, new Date())) terminal.writeLine(line);
  return 0;
};

export function formatWorkers({ workers, unserved }: WorkerList, now: Date): string[] {
  const lines = workers.map((worker) => describeWorker(worker, now));
  const gaps =
    unserved === 0
      ? []
      : [`${formatCount(unserved, 'account')} without a worker. Start one with \`relay worker\`.`];
  return lines.length === 0 ? ['No workers.', ...gaps] : [...lines, ...gaps];
}

function describeWorker(worker: ListedWorker, now: Date): string {
  const { id, host, pid, accounts, capacity, state, started_at, last_seen_at } = worker;
  const since = (at: string) => formatRoughDuration(now.getTime() - Date.parse(at));
  const states = {
    running: `running for ${since(started_at)}`,
    draining: 'handing its accounts over',
    lost: `lost ${since(last_seen_at)} ago`,
  };
  const most = capacity >= MOST ? '' : ` of at most ${capacity}`;
  return `${id.slice(0, 8)}  ${host}, PID ${pid}  ${formatCount(accounts, 'account')}${most}  ${states[state]}`;
}
