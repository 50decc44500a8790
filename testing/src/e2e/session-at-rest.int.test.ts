// The stored session, damaged in every way that a disk or a person can: Relay stops with a sentence, creates nothing
// new, changes nothing, and continues once the damage is repaired.
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionSentence } from '@relay/contract/connection/states';
import type { AccountId } from '@relay/contract/ids';
import { sealedCredentialsName } from '@relay/daemon/platform/db/transport-store/sealed';
import { beforeEach, describe, expect, it } from 'vitest';
import { BEN, jid, type LinkedRelay, ME, startLinkedRelay } from './linked.ts';

const SENTENCE = connectionSentence('credentials_unreadable');
const CREDENTIALS = 'SELECT value FROM relay.whatsapp_credentials';
const SESSIONS = 'SELECT account_id, id, value FROM relay.whatsapp_keys WHERE kind = 1';

interface SessionRow {
  readonly account_id: string;
  readonly id: string;
  readonly value: Buffer;
}

let linked: LinkedRelay;
beforeEach(async () => {
  linked = await startLinkedRelay({ database: 'beside' });
  await linked.talk('before');
}, 180_000);

async function credentials(): Promise<Buffer> {
  const [row, ...others] = await linked.query<{ value: Buffer }>(CREDENTIALS);
  expect(others).toEqual([]);
  return row?.value ?? Buffer.alloc(0);
}

async function replaceCredentials(value: Buffer): Promise<void> {
  await linked.query('UPDATE relay.whatsapp_credentials SET value = $1', [value]);
}

/** Every interface reports the same, and offers no replacement. */
async function expectStopped(): Promise<void> {
  const { relay } = linked.demo;
  const link = await linked.reaches('credentials_unreadable');
  expect(link).toMatchObject({
    status: 'disconnected',
    sentence: SENTENCE,
    qr: null,
    pairingCode: null,
    retryAt: null,
  });
  expect(await relay.ok('GET', '/api/status')).toMatchObject({
    whatsapp_connected: false,
    whatsapp: { sentence: SENTENCE },
  });
  const { exit, out } = await linked.command('status');
  expect(exit).toBe(0);
  expect(out).toContain(SENTENCE);
  expect(await relay.call('GET', '/api/whatsapp/qr')).toMatchObject({ status: 404 });
}

/** A person who tries to link again gets the same answer, with a QR code and with a pairing code. */
async function expectNothingNew(): Promise<void> {
  for (const how of [{}, { phone: ME }]) {
    await linked.demo.relay.connect(how);
    await sleep(200);
    await expectStopped();
  }
}

const DAMAGES: [string, (sealed: Buffer) => Promise<Buffer>][] = [
  ['truncated', async (sealed) => sealed.subarray(0, sealed.length - 40)],
  ['emptied', async () => Buffer.alloc(0)],
  ['altered in one byte', async (sealed) => flipped(sealed, sealed.length >> 1)],
  ['exchanged for another row of this home', async () => (await sessionOfBen()).value],
  ["exchanged for another account's", sealedForAnother],
];

function flipped(bytes: Buffer, at: number): Buffer {
  return Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ 1 : byte)));
}

async function sealedForAnother(sealed: Buffer): Promise<Buffer> {
  const sealer = await linked.sealer();
  const [row] = await linked.query<{ account_id: string }>(
    'SELECT account_id FROM relay.whatsapp_credentials',
  );
  const account = Number(row?.account_id);
  const plain = sealer.open(sealedCredentialsName(account as AccountId), sealed);
  return Buffer.from(sealer.seal(sealedCredentialsName((account + 1) as AccountId), plain));
}

async function sessionOfBen(): Promise<SessionRow> {
  const lid = linked.demo.simulator.network.account(BEN)?.lid;
  const rows = await linked.query<SessionRow>(SESSIONS);
  const row = rows.find(({ id }) => id.startsWith(`${lid}`));
  if (row === undefined) throw new Error(`no session among ${rows.map(({ id }) => id)}`);
  return row;
}

describe('credentials', { timeout: 120_000 }, () => {
  it('stop Relay with a sentence however they are damaged, and work again once repaired', async () => {
    const { demo } = linked;
    await demo.rest();
    const [kept, devices] = [await credentials(), linked.devices()];
    const keys = await linked.query('SELECT * FROM relay.whatsapp_keys ORDER BY kind, id');
    for (const [name, damage] of DAMAGES) {
      const { connections } = demo.simulator.network;
      const damaged = await damage(kept);
      expect(damaged.equals(kept), name).toBe(false);
      await replaceCredentials(damaged);
      await demo.restart();
      await expectStopped();
      await expectNothingNew();
      await demo.rest();
      expect((await credentials()).equals(damaged), name).toBe(true);
      expect(demo.simulator.network.connections, name).toBe(connections);
    }
    expect(await linked.query('SELECT * FROM relay.whatsapp_keys ORDER BY kind, id')).toEqual(keys);

    await demo.phones.send(BEN, ME, 'while it was damaged');
    await replaceCredentials(kept);
    await demo.restart();
    await linked.reaches('connected');
    expect(linked.devices()).toEqual(devices.map(({ id, logins }) => ({ id, logins: logins + 1 })));
    await linked.talk('afterwards');
    const bodies = (await demo.relay.messages({ chat: jid(BEN) })).map(({ body }) => body);
    expect(bodies.filter((body) => body === 'while it was damaged')).toHaveLength(1);
    expect(await demo.phones.counts()).toMatchObject({ duplicates: 0, undecryptable: 0 });
  });

  it('are neither decrypted nor replaced by a home that lost its vault and created another', async () => {
    const { demo } = linked;
    const files = [join(demo.home, 'vault.json'), `${demo.home}.key`];
    await demo.rest();
    const [kept, devices] = [await credentials(), linked.devices()];
    for (const file of files) await rename(file, `${file}.kept`);
    await demo.restart();
    await expectStopped();
    await expectNothingNew();
    await demo.rest();
    expect((await credentials()).equals(kept)).toBe(true);
    expect(linked.devices()).toEqual(devices);

    for (const file of files) await rename(`${file}.kept`, file);
    await demo.restart();
    await linked.reaches('connected');
    await linked.talk('afterwards');
  });
});

/** Requesting a message again begins a new session, which would replace the damaged one. */
const retriesAsked = () =>
  linked.demo.simulator.network.stanzas.filter(
    ({ direction, stanza }) =>
      direction === 'in' && stanza.tag === 'receipt' && stanza.attrs.type === 'retry',
  );

describe('the session with a friend', { timeout: 120_000 }, () => {
  it('stops Relay when it is damaged, is never recreated, and works again once repaired', async () => {
    const { demo } = linked;
    await demo.rest();
    const [kept, devices] = [await sessionOfBen(), linked.devices()];
    const write = (value: Buffer) =>
      linked.query(
        'UPDATE relay.whatsapp_keys SET value = $1 WHERE kind = 1 AND account_id = $2 AND id = $3',
        [value, kept.account_id, kept.id],
      );
    const damaged = flipped(kept.value, 20);
    await write(damaged);
    await demo.phones.send(BEN, ME, 'while it was damaged');
    await demo.restart();
    await expectStopped();
    await demo.relay.connect();
    await sleep(500);
    await expectStopped();
    await demo.rest();
    expect((await sessionOfBen()).value.equals(damaged)).toBe(true);
    expect(retriesAsked()).toEqual([]);
    expect(await demo.phones.counts(BEN)).toMatchObject({ distinct: 1, undecryptable: 0 });

    await write(kept.value);
    await demo.restart();
    await linked.reaches('connected');
    await linked.talk('afterwards');
    const bodies = (await demo.relay.messages({ chat: jid(BEN) })).map(({ body }) => body);
    expect(bodies.filter((body) => body === 'while it was damaged')).toHaveLength(1);
    expect(linked.devices().map(({ id }) => id)).toEqual(devices.map(({ id }) => id));
    expect(await demo.phones.counts()).toMatchObject({ duplicates: 0, undecryptable: 0 });
  });
});
