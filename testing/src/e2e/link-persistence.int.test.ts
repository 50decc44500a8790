// What a link keeps: the session across a restart, every message since it was made and none from before, and the notice
// that WhatsApp ended it.
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { startDemo } from './demo.ts';
import { eventually } from './gateway.ts';

const ME = '15550000000';
const BEN = '15550000001';

test('one scan is enough: after a kill and a start it is connected, and has earlier and missed messages', async () => {
  verifies('000-AUTH-PERSISTED', '000-MSG-NOTIFY');
  const demo = await startDemo({ settings: { pacing: { enabled: false } } });
  onTestFinished(() => demo.stop());
  const { phones, relay } = demo;
  await phones.add(ME, 'Me');
  await phones.add(BEN, 'Ben');
  await phones.send(BEN, ME, 'long before there was a link');
  await demo.link(ME);
  await phones.send(BEN, ME, 'live');
  const bodies = async () => (await relay.messages()).map(({ body }) => body);
  await eventually('the live one', async () => (await bodies()).includes('live') || undefined);

  await demo.kill();
  await phones.send(BEN, ME, 'while it was away');
  await demo.restart();
  expect(await relay.connected()).toBe(ME);
  expect((await relay.call('GET', '/api/whatsapp/qr')).status).toBe(404);
  await eventually('the late one', async () => (await bodies()).length > 1 || undefined);
  expect(await bodies()).toEqual(['live', 'while it was away']);
});

test("a log-out is reported on the link's stream, and nothing is retried after it", async () => {
  verifies('000-EVENT-LOGGED-OUT');
  const demo = await startDemo();
  onTestFinished(() => demo.stop());
  const { phones, relay } = demo;
  await phones.add(ME, 'Me');
  await demo.link(ME);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const stream = await fetch(`${demo.api}/api/whatsapp/link/stream`, {
    headers: { authorization: `Bearer ${demo.token}` },
    signal: stop.signal,
  });
  const before = demo.simulator.network.connections;
  await phones.disconnect(ME, 401);
  let told = '';
  const text = new TextDecoder();
  for await (const chunk of stream.body ?? []) {
    told += text.decode(chunk, { stream: true });
    if (told.includes('"logged_out"')) break;
  }
  expect(told).toContain('WhatsApp unlinked this device.');
  expect(await relay.status()).toEqual({ status: 'disconnected', phoneNumber: null });
  expect(demo.simulator.network.connections).toBe(before);
});
