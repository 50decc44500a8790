// The simulated network in a separate process, so that its encryption does not compete with what is measured. Messages
// to a companion are prepared in advance and delivered at once; times are taken in this process.
import './native-first.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNetwork } from '@relay/simulator/whatsapp/network';
import { serve } from '../worker.ts';

const network = await createNetwork();
const PATIENCE_MS = 120_000;
let received = 0;
const logins: number[] = [];
network.events.on('online', () => logins.push(Date.now()));
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
  /** Sends from one person to each of these accounts, one after the other at this rate; resolves when all are sent. */
  say: async ({ from, to, texts, perSecond }: Conversation) => {
    const began = performance.now();
    for (const [index, text] of texts.entries()) {
      const late = performance.now() - began - (index / perSecond) * 1_000;
      if (late < 0) await sleep(-late);
      const chat = to[index % to.length] ?? '';
      await account(from[index % from.length] ?? '').send(chat, text);
    }
  },
  /** How many of these accounts have a companion that is logged in, and what those have not confirmed. */
  companions: ({ phones }: { phones: string[] }) => {
    const all = phones.flatMap((phone) => account(phone).companions.get(1) ?? []);
    const online = all.filter((one) => one.listening);
    const pending = online.reduce((sum, one) => sum + one.pending.length, 0);
    return { online: online.length, pending };
  },
  online: ({ phones }: { phones: string[] }) =>
    phones.filter((phone) => account(phone).companions.get(1)?.listening === true),
  /** Cuts the connections of these accounts at the same time. */
  cut: ({ phones }: { phones: string[] }) => {
    logins.length = 0;
    for (const phone of phones) account(phone).disconnect();
  },
  /** Milliseconds from the cut to each login after it. */
  logins: ({ since }: { since: number }) => logins.map((at) => at - since),
  now: () => Date.now(),
  received: () => received,
  counts: () => network.counts(),
};

interface Conversation {
  from: string[];
  to: string[];
  texts: string[];
  perSecond: number;
}

interface Preparation {
  to: string;
  chat: string;
  from: string[];
  count: number;
}

export type NetworkMethods = typeof methods;
serve(methods);
