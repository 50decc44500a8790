// `relay demo --headless --workers --accounts`: a cell of several processes, as black-box checks use it.
import { join } from 'node:path';
import type { WorkerList } from '@relay/contract/api/workers';
import { expect, inject, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { builtIn } from './built.ts';
import { eventually } from './gateway.ts';
import { type DemoLine, holdDemo } from './headless.ts';
import { untilGone } from './traces.ts';

interface CellLine extends DemoLine {
  readonly workers: readonly { readonly id: string; readonly pid: number }[];
  readonly accounts: readonly { readonly id: string; readonly phone: string }[];
}

it('starts the workers, links and changes the accounts, survives the kill of a worker and leaves nothing', {
  timeout: 300_000,
}, async () => {
  verifies('WORKERS-API', 'WORKERS-LIST', 'WORKERS-FAILOVER');
  const command = join(await builtIn(inject('builds')), 'bin/relay.js');
  const demo = await holdDemo(command, '--workers', '2', '--accounts', '3');
  const { api, token, workers, accounts, home } = demo.line as CellLine;
  const get = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${api}${path}`, { headers: { authorization: `Bearer ${token}` } });
    return (await answer.json()) as T;
  };
  const connected = async () => {
    const links = await Promise.all(
      accounts.map(({ id }) => get<{ status: string }>(`/api/accounts/${id}/whatsapp/link`)),
    );
    return links.every(({ status }) => status === 'connected');
  };
  expect(workers).toHaveLength(2);
  expect(accounts.map(({ id }) => id)).toEqual(['default', 'demo-2', 'demo-3']);
  expect(await connected()).toBe(true);
  const link = () => get<{ status: string; since: string }>('/api/accounts/demo-2/whatsapp/link');
  const before = await link();
  await fetch(`${api}/api/accounts/demo-2/account-settings`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ zone: 'Asia/Kolkata' }),
  });
  await eventually('the account to be opened again with its new settings', async () => {
    const { status, since } = await link();
    return (status === 'connected' && since > before.since) || undefined;
  });
  const [victim] = workers;
  process.kill(victim?.pid ?? 0, 'SIGKILL');
  await eventually('the other worker to hold all accounts', async () => {
    const list = await get<WorkerList>('/api/workers');
    const other = list.workers.find(({ id }) => id !== victim?.id);
    return other?.accounts === 3 && (await connected()) ? true : undefined;
  });
  demo.letGo();
  await demo.ended;
  expect(await untilGone(home)).toEqual([]);
});
