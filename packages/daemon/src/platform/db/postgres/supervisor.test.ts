import { silentLog } from '@relay/core/log';
import { expect, test, vi } from 'vitest';
import { type Postmaster, supervisePostmaster } from './postmaster.ts';

function postmaster(pid: number): Postmaster & { die(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { pid, gone: promise, die: resolve };
}

test('restarts a server that died, and reports it once it is ready', async () => {
  const first = postmaster(1);
  const second = postmaster(2);
  const onRestart = vi.fn();
  const ended: number[] = [];
  const supervisor = supervisePostmaster({
    first,
    start: async () => second,
    end: async ({ pid }) => void ended.push(pid),
    log: silentLog,
    onRestart,
  });
  first.die();
  await vi.waitFor(() => expect(onRestart).toHaveBeenCalledOnce());
  await supervisor.stop();
  expect(ended).toEqual([2]);
});

test('keeps trying when a start fails', async () => {
  const first = postmaster(1);
  const start = vi.fn<() => Promise<Postmaster>>();
  start.mockRejectedValueOnce(new Error('no')).mockResolvedValue(postmaster(2));
  const onRestart = vi.fn();
  const error = vi.fn();
  const log = { ...silentLog, error };
  const supervisor = supervisePostmaster({ first, start, end: async () => {}, log, onRestart });
  first.die();
  await vi.waitFor(() => expect(onRestart).toHaveBeenCalledOnce(), { timeout: 2_000 });
  expect(start).toHaveBeenCalledTimes(2);
  expect(error).toHaveBeenCalledWith('postgres did not start', expect.anything());
  await supervisor.stop();
});

test('a restart that completes during the stop is ended too', async () => {
  const first = postmaster(1);
  const starting = Promise.withResolvers<Postmaster>();
  const start = vi.fn(() => starting.promise);
  const ended: number[] = [];
  const supervisor = supervisePostmaster({
    first,
    start,
    end: async ({ pid }) => void ended.push(pid),
    log: silentLog,
  });
  first.die();
  await vi.waitFor(() => expect(start).toHaveBeenCalled());
  const stopped = supervisor.stop();
  starting.resolve(postmaster(2));
  await stopped;
  expect(ended).toEqual([2]);
});

test('a server that dies after the stop was requested stays down', async () => {
  const first = postmaster(1);
  const start = vi.fn(async () => postmaster(2));
  const end = async () => first.die();
  const supervisor = supervisePostmaster({ first, start, end, log: silentLog });
  await Promise.all([supervisor.stop(), supervisor.stop()]);
  expect(start).not.toHaveBeenCalled();
});
