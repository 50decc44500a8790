// Seed 002 for a client: the shipped daemon, the official client over every transport, and the simulated network. From
// the first scan until the phone unlinks it.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import type { LinkBody } from '@relay/contract/api/whatsapp';
import type { ConnectionState } from '@relay/contract/connection/states';
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../verifies.ts';
import { startDemo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import { BEN, ME } from '../linked.ts';
import { connect, makeToken, TRANSPORT_VERSIONS } from './client.ts';

test('a client links, sends by name over every transport, finds its session again, and sees it end', {
  timeout: 240_000,
}, async () => {
  verifies('002-SERVER-NAME', '002-AUTH-OUTPUT', '002-AUTH-WAITING', '002-AUTH-AUTHENTICATED');
  verifies('002-SESSION-PERSISTS', '002-SESSION-EXPIRY', '002-SEC-HEADLESS', '002-SEC-SESSION');
  verifies('002-SEND-OUTPUT', '002-CONFIRM-SENT', '002-SEND-ERR-32000', '002-SEND-ERR-32003');
  const demo = await startDemo({ settings: { pacing: { enabled: false } } });
  onTestFinished(() => demo.stop());
  const { phones, relay, api } = demo;
  await phones.add(ME, 'Ana');
  await phones.add(BEN, 'Ben');
  const { secret } = await makeToken(
    { demo },
    { scopes: ['link:write', 'messages:send'], confirm: false },
  );
  const everyWay = async (each: (client: Client, name: string) => Promise<void>) => {
    for (const [way, version] of TRANSPORT_VERSIONS) {
      const client = await connect(api, secret, way, version);
      await each(client, `${way} ${version}`);
      await client.close();
    }
  };
  const link = async (client: Client) =>
    (await client.callTool({ name: 'authenticate_qr', arguments: {} })).structuredContent as {
      qr_code_base64?: string;
      status: string;
    };
  const send = (client: Client, message: string) =>
    client.callTool({ name: 'send_message', arguments: { chat_id: 'Ben', message } });

  let picture = '';
  await everyWay(async (client) => {
    expect(client.getServerVersion()?.name).toBe('whatsapp-mcp');
    const { qr_code_base64 = '', status } = await link(client);
    expect(status).toBe('waiting');
    expect(Buffer.from(qr_code_base64, 'base64').subarray(1, 4).toString()).toBe('PNG');
    picture = qr_code_base64;
  });
  expect(await phones.scan(ME, `data:image/png;base64,${picture}`)).toMatchObject({ linked: true });
  await relay.connected();
  await everyWay(async (client) => expect(await link(client)).toEqual({ status: 'authenticated' }));

  await relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: BEN,
    displayName: 'Ben',
    canReply: true,
  });
  await phones.send(BEN, ME, 'Hello');
  await eventually('his message', async () => (await relay.messages({ limit: 1 }))[0]);
  await everyWay(async (client, name) => {
    const { structuredContent } = await send(client, name);
    expect(structuredContent).toMatchObject({ status: 'sent' });
    const { message_id } = structuredContent as { message_id: string };
    const shown = await phones.received(BEN, ME);
    expect(shown.find(({ id }) => id === message_id)).toMatchObject({ text: name });
  });
  const environment = readFileSync(`/proc/${demo.pid}/environ`, 'utf8');
  expect(environment).not.toMatch(/(^|\0)(WAYLAND_)?DISPLAY=/);
  // The session is in the home, in its database, and the home is in no working copy.
  expect({ mode: statSync(demo.home).mode & 0o777, uid: statSync(demo.home).uid }).toEqual({
    mode: 0o700,
    uid: process.getuid?.(),
  });
  for (let folder = demo.home; folder !== dirname(folder); folder = dirname(folder)) {
    expect(existsSync(join(folder, '.git'))).toBe(false);
  }

  await demo.rest();
  await demo.restart();
  await relay.connected();
  const again = await connect(api, secret, 'pipe', 'current');
  expect(await link(again)).toEqual({ status: 'authenticated' });
  expect((await send(again, 'after a restart')).structuredContent).toMatchObject({
    status: 'sent',
  });

  const ends = async (code: number, becomes: ConnectionState, error: object) => {
    await phones.disconnect(ME, code);
    await eventually(becomes, async () => {
      const { state } = await relay.ok<LinkBody>('GET', '/api/whatsapp/link');
      return state === becomes || undefined;
    });
    await everyWay(async (client) => {
      await expect(send(client, 'too late')).rejects.toMatchObject(error);
    });
  };
  await ends(405, 'client_outdated', { code: -32003, data: { name: 'ELEMENT_NOT_FOUND' } });
  await relay.connect();
  await relay.connected();
  await ends(401, 'logged_out', { code: -32000, data: { name: 'SESSION_EXPIRED' } });
  const shown = (await phones.received(BEN, ME)).map(({ text }) => text);
  expect(shown).toEqual([...TRANSPORT_VERSIONS.map((way) => way.join(' ')), 'after a restart']);
});
