import '@relay/simulator/whatsapp/trust-preload';
import type { MessageId } from '@relay/core/ids';
import { createNetwork } from '@relay/simulator/whatsapp/network';
import { MemoryWire } from '@relay/testing/memory-wire-store';
import { DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys';
import { expect, test } from 'vitest';
import { createBaileysTransport } from './transport.ts';

test('smoke', async () => {
  const network = await createNetwork();
  DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = network.url;
  const me = network.addAccount({ phone: '15550000001', name: 'Me' });
  const bob = network.addAccount({ phone: '15550000002', name: 'Bob' });
  const wire = new MemoryWire();
  const t = createBaileysTransport({
    openStore: () => wire.open(),
    findSent: async () => null,
    log: { debug() {}, info: console.log, warn: console.log, error: console.log },
  });
  const states: string[] = [];
  const events: unknown[] = [];
  t.subscribe((e) => {
    if (e.type === 'link') states.push(e.link.state);
    else events.push(e);
  });
  t.connect();
  await expect.poll(() => t.link.qr, { timeout: 10000 }).toBeTruthy();
  await me.scan(t.link.qr ?? '');
  await expect.poll(() => t.link.state, { timeout: 10000 }).toBe('connected');
  await bob.send(me, 'hello');
  await expect.poll(() => wire.inbox.length, { timeout: 10000 }).toBe(1);
  const start = performance.now();
  await t.send({ id: 'OUT1' as MessageId, chat: bob.jid(), text: 'hi' });
  await t.send({ id: 'OUT2' as MessageId, chat: bob.jid('pn'), text: 'hi https://x.y' });
  console.log('sent in', performance.now() - start);
  await expect.poll(() => bob.messages().length, { timeout: 10000 }).toBe(3);
  await new Promise((r) => setTimeout(r, 200));
  console.log(states, events, t.link, bob.messages());
  await t.close();
  console.log(t.link.state, network.failures, [...network.unknown]);
  await network.close();
});
