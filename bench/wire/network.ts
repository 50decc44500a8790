// The simulated network in a separate process, so that its encryption does not compete with what is measured. Messages
// to a companion are prepared in advance and delivered at once; times are taken in this process.
import './native-first.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNetwork } from '@relay/simulator/whatsapp/network';
import { serve } from '../worker.ts';

const network = await createNetwork();
const PATIENCE_MS = 120_000;
let received = 0;
network.events.on('message', ({ message }) => {
  if (!message.fromMe) received += 1;
});

function account(phone: string) {
  const found = network.account(phone);
  if (!found) throw new Error(`nobody has the number ${phone}`);
  return found;
}

function companion(phone: string) {
  const found = account(phone).companions.get(1);
  if (!found) throw new Error(`${phone} has no companion`);
  return found;
}

async function until(holds: () => boolean, what: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`);
    await sleep(1);
  }
}

const methods = {
  url: () => network.url,
  /** Silent, because their receipts would add other work to what is measured. */
  addPeople: ({ phones }: { phones: string[] }) =>
    phones.map((phone) => {
      const habits = { receipts: false };
      return network.addAccount({ phone, name: phone, habits }).jid();
    }),
  scan: async ({ phone, qr }: { phone: string; qr: string }) => {
    await account(phone).scan(qr);
    await until(() => account(phone).companions.get(1)?.pending.length === 0, 'the first sync');
  },
  addGroup: ({ owner, members }: { owner: string; members: string[] }) =>
    network.createGroup({
      subject: 'bench',
      owner: account(owner),
      members: members.map(account),
    }).jid,
  /** Messages that wait for the companion until `deliver`. */
  prepare: async ({ to, chat, from, count }: Preparation) => {
    companion(to).listening = false;
    for (let index = 0; index < count; index++) {
      const sender = account(from[index % from.length] ?? '');
      await sender.send(chat, `message ${index} of a length that people write`);
    }
  },
  /** From the first byte delivered until the last receipt. */
  deliver: async ({ to }: { to: string }): Promise<number> => {
    const device = companion(to);
    const stanzas = [...device.pending];
    const start = performance.now();
    device.listening = true;
    for (const stanza of stanzas) device.connection?.send(stanza);
    await until(() => device.pending.length === 0, 'the receipts');
    return performance.now() - start;
  },
  received: () => received,
  counts: () => network.counts(),
};

interface Preparation {
  to: string;
  chat: string;
  from: string[];
  count: number;
}

export type NetworkMethods = typeof methods;
serve(methods);
