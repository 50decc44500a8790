// The harness of the black-box tests itself: its parts start and stop independently.
import { existsSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { startDemo } from './demo.ts';
import { answers, processesOf } from './traces.ts';

it('kills and restarts only the daemon, at the same address with the same home', {
  timeout: 180_000,
}, async () => {
  const demo = await startDemo();
  onTestFinished(() => (existsSync(demo.home) ? demo.stop() : undefined));
  const { api, pid, token } = demo;
  await demo.phones.add('15550000001', 'Me');
  await demo.kill();
  expect(await answers('127.0.0.1', Number(new URL(api).port))).toBe(false);
  expect(await demo.phones.counts()).toMatchObject({ distinct: 0 });

  await demo.restart();
  expect(demo.pid).not.toBe(pid);
  expect(demo).toMatchObject({ api, token });
  expect(await demo.relay.call('GET', '/api/status')).toMatchObject({ status: 200 });

  await demo.stop();
  expect(existsSync(demo.home)).toBe(false);
  expect(await processesOf(demo.home)).toEqual([]);
});
