// Tests what calls write to the log, and what internal errors tell a client: at most the first 50 characters of a
// message, and those at debug only.
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TRANSPORT_VERSIONS } from '@relay/testing/e2e/programs/client';
import { UNLINKED } from '@relay/testing/link';
import { removeFolder } from '@relay/testing/remove-folder';
import { verifies } from '@relay/testing/verifies';
import { expect, onTestFinished, test } from 'vitest';
import { openLog } from '../../platform/log/log.ts';
import { freshMcpHarness } from './testing/fixture.ts';

test('logs at most 50 characters of a message, at debug only', async () => {
  verifies('002-SEC-LOG-50');
  const folder = await mkdtemp(join(tmpdir(), 'relay log '));
  onTestFinished(() => removeFolder(folder));
  const { person, newToken, connect, deps, start, network } = await freshMcpHarness(onTestFinished);
  await person('4915177000001', 'Anna');
  start();
  const token = await newToken({ scopes: ['messages:send'] });
  const text = Array.from({ length: 200 }, (_, n) => `w${n}`).join(' ');
  const windows = Array.from({ length: text.length - 50 }, (_, at) => text.slice(at, at + 51));
  for (const level of ['debug', 'info'] as const) {
    const log = openLog(join(folder, level), level);
    Object.assign(deps, { log });
    for (const [way, version] of TRANSPORT_VERSIONS) {
      const client = await connect(token, way, version);
      const call = (chat_id: string) =>
        client.callTool({ name: 'send_message', arguments: { chat_id, message: text } });
      await call('Anna');
      await call('Nobody').catch(() => {});
      network.answer = () => ({ refuse: 479 });
      await call('Anna').catch(() => {});
      network.answer = () => 'ack';
      const odd = {
        name: 'send_message',
        arguments: { chat_id: 'Anna', message: text, more: text },
      };
      expect((await client.callTool(odd)).isError).toBe(true);
      await client.close();
    }
    log.close();
    const lines = await readFile(join(folder, level), 'utf8');
    expect(windows.filter((window) => lines.includes(window))).toEqual([]);
    expect(lines.includes('w1 w2')).toBe(level === 'debug');
  }
});

test('answers an internal error with one sentence and an id, over every transport', async () => {
  const { newToken, connect, deps, network, clientApi, hashOf, logged } =
    await freshMcpHarness(onTestFinished);
  const token = await newToken({ scopes: ['link:write'] });
  network.become({ ...UNLINKED, state: 'qr_ready', qr: 'x' });
  Object.assign(deps, {
    renderQr: () => Promise.reject(new Error('SELECT secret FROM place')),
  });
  const internalError = /^Relay had an internal error\. .* request ([0-9a-f-]{36})\.$/;
  for (const [way, version] of TRANSPORT_VERSIONS) {
    const client = await connect(token, way, version);
    const { isError, content } = await client.callTool({ name: 'authenticate_qr', arguments: {} });
    expect(isError).toBe(true);
    const [, request] = internalError.exec(JSON.parse(JSON.stringify(content))[0].text) ?? [];
    expect(logged.some(({ fields }) => fields.request === request)).toBe(true);
    await client.close();
  }
  await expect(clientApi.call(hashOf(token), 'authenticate_qr', {}, null)).rejects.toThrow(
    internalError,
  );
});
