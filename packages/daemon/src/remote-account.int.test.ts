import { randomUUID } from 'node:crypto';
import { silentLog } from '@relay/core/log';
import type { Transport, TransportEvent, WhatsAppLink } from '@relay/core/ports/transport';
import { testSealer } from '@relay/testing/sealer';
import { eventually, freshStore } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { afterAll, expect, test } from 'vitest';
import { AccountExchange } from './account-exchange.ts';
import { sharedLease, takeLease } from './platform/db/lease.ts';
import { checkSharedKey } from './platform/db/shared-key.ts';
import { askWorker, readPublishedLinks } from './platform/db/worker-requests.ts';
import { aesSealer } from './platform/home/vault/sealer.ts';
import { createRemotePipeline, PublishedLinks } from './remote-account.ts';

const store = await freshStore();
const { account, database } = store;
const place = { db: database.kysely, account, sealer: testSealer };

const UNLINKED: WhatsAppLink = {
  state: 'disconnected',
  since: new Date('2026-11-19T10:00:00Z'),
  ...{ phone: null, lid: null, name: null, qr: null, qrExpiresAt: null, pairingCode: null },
  ...{ passkey: null, replaying: null, timeLockedUntil: null, retryAt: null, fault: null },
  health: {
    ...{ lastStanzaAt: null, pingMs: null, flaps: 0, received: 0, undecryptable: 0, restarts: 0 },
  },
};

/** The worker that holds the account: a transport that records what is asked of it. */
async function openWorkerSide() {
  const holder = randomUUID();
  await store.sql(
    `INSERT INTO relay.workers (id, run, host, pid, version, capacity, until)
     VALUES ($1, $1, 'here', 1, '0', 1, now() + interval '1 hour')`,
    [holder],
  );
  const lease = await takeLease(database.allAccounts, account, holder);
  if (lease === null) throw new Error('the account is free');
  const asked: unknown[] = [];
  const side = { link: UNLINKED, asked, lease };
  const transport: Transport = {
    get link() {
      return side.link;
    },
    subscribe: () => () => {},
    connect: (method) => void asked.push(['connect', method]),
    resume() {},
    answerPasskey: (answer) => void asked.push(['passkey', answer]),
    disconnect: async (options) => void asked.push(['disconnect', options]),
    send: async () => {},
    close: async () => {},
    capabilities: { findRegistered: async (address) => `${address} is known` },
  };
  const exchange = new AccountExchange({
    place,
    lease,
    transport,
    log: silentLog,
    reopen: () => void asked.push(['reopen']),
  });
  exchange.start();
  // The worker looks for requests regularly.
  const looking = setInterval(() => exchange.answer(), 20);
  const change = (facts: Partial<WhatsAppLink>) => {
    side.link = { ...side.link, ...facts };
    exchange.onTransportEvent({ type: 'link', link: side.link } satisfies TransportEvent);
  };
  const stop = async () => {
    clearInterval(looking);
    await exchange.stop();
  };
  return { asked, change, stop, holder };
}

const worker = await openWorkerSide();
const links = new PublishedLinks(database.allAccounts, testSealer, silentLog);
await links.start();
const remote = createRemotePipeline({
  place,
  lease: sharedLease(account),
  links,
  log: silentLog,
  now: () => new Date(),
});
afterAll(async () => {
  await worker.stop();
  await links.stop();
});

test('a process without the account shows its link, codes included, and hears of changes', async () => {
  verifies('WORKERS-API');
  const states: string[] = [];
  remote.transport.subscribe((event) => {
    if (event.type === 'link') states.push(event.link.state);
  });
  const qrExpiresAt = new Date('2026-11-19T10:01:00Z');
  worker.change({ state: 'qr_ready', qr: 'a code', qrExpiresAt });
  await eventually(() => remote.transport.link.qr === 'a code');
  expect(remote.transport.link).toMatchObject({ state: 'qr_ready', qrExpiresAt });
  worker.change({ state: 'connected', qr: null, qrExpiresAt: null, phone: '15550000000' });
  await eventually(() => remote.transport.link.state === 'connected');
  expect(states).toEqual(['qr_ready', 'connected']);
});

test('a link that was committed some seconds after its time is seen', async () => {
  verifies('SEP-LOST-HINT');
  worker.change({ state: 'connecting' });
  await eventually(() => remote.transport.link.state === 'connecting');
  const [late] = await store.sql<{ link: Buffer }>('SELECT link FROM relay.whatsapp_links');
  worker.change({ state: 'disconnected' });
  await eventually(() => remote.transport.link.state === 'disconnected');
  await store.sql(
    "UPDATE relay.whatsapp_links SET link = $1, updated_at = clock_timestamp() - interval '10 seconds'",
    [late?.link],
  );
  await eventually(() => remote.transport.link.state === 'connecting');
  worker.change({ state: 'connecting', phone: '15550000000' });
  worker.change({ state: 'disconnected', phone: null });
  await eventually(() => remote.transport.link.state === 'disconnected');
});

test('what needs the socket is asked of the worker, once, and answered', async () => {
  verifies('WORKERS-API');
  worker.asked.length = 0;
  remote.transport.connect({ kind: 'code', phone: '15550000001' });
  await eventually(() => worker.asked.length === 1);
  await remote.transport.disconnect({ forget: false });
  expect(worker.asked).toEqual([
    ['connect', { kind: 'code', phone: '15550000001' }],
    ['disconnect', { forget: false }],
  ]);
  const { findRegistered } = remote.transport.capabilities;
  expect(await findRegistered?.('4915')).toBe('4915 is known');
  await expect(
    remote.transport.send({ id: 'x' as never, chat: 'y', text: 'z' }),
  ).rejects.toMatchObject({ kind: 'not_sent' });
  await eventually(
    async () => (await store.sql('SELECT 1 FROM relay.worker_requests')).length === 0,
  );
});

test('neither codes nor requests are readable in the database', async () => {
  worker.change({ state: 'qr_ready', qr: 'very secret code' });
  await eventually(() => remote.transport.link.qr === 'very secret code');
  const rows = await store.sql<{ link: Buffer }>('SELECT link FROM relay.whatsapp_links');
  expect(rows.map(({ link }) => link.toString('latin1')).join()).not.toContain('secret');
});

test('an account whose worker was lost is shown as reconnecting, and without a code', async () => {
  worker.change({ state: 'connected', phone: '15550000000', qr: null });
  await eventually(() => remote.transport.link.state === 'connected');
  await store.sql('UPDATE relay.workers SET lost_at = now() WHERE id = $1', [worker.holder]);
  await eventually(() => remote.transport.link.state === 'reconnecting');
});

test('a worker with another key than that of the database is refused', async () => {
  verifies('WORKERS-KEY');
  const { pool } = database;
  await checkSharedKey(pool, testSealer, { isRefused: true });
  await checkSharedKey(pool, testSealer, { isRefused: true });
  const { createSecretKey, randomBytes } = await import('node:crypto');
  const other = aesSealer(createSecretKey(randomBytes(32)));
  await expect(checkSharedKey(pool, other, { isRefused: true })).rejects.toMatchObject({
    code: 'worker_key_differs',
  });
});

test('a look returns only links that have changed, and those that no worker serves', async () => {
  verifies('WORKERS-API');
  const soon = new Date(Date.now() + 3_600_000);
  const look = () => readPublishedLinks(database.allAccounts, testSealer, soon);
  await store.sql('UPDATE relay.workers SET lost_at = NULL');
  expect(await look()).toEqual({ at: soon, links: [] });
  await store.sql('UPDATE relay.workers SET lost_at = now()');
  expect((await look()).links).toEqual([{ account, link: null, isServed: false }]);
});

test('asks the worker of an account to open it again', async () => {
  verifies('WORKERS-API');
  worker.asked.length = 0;
  await askWorker(place, { kind: 'reopen' }, 15_000);
  expect(worker.asked).toEqual([['reopen']]);
});
