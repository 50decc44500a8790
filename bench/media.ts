// Images in and out of a whole daemon against bare Baileys that uploads and downloads the same, on one simulated network
// in one run, half of them before and half after, so that other work on the machine slows both; and the daemon's memory
// while ten videos pass through it at once, each way.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtIn, openBuilds } from '@relay/testing/e2e/built';
import { type Demo, startDemo } from '@relay/testing/e2e/demo';
import pg from 'pg';
import { type Limit, loadFigure } from './figures.ts';
import type { BareArm } from './media/arm.ts';
import type { TransportArm } from './media/transport-arm.ts';
import { Worker } from './worker.ts';

const [RELAY, BARE, ALONE, FRIEND, WRITER] = [
  ...['15550000000', '15550000010', '15550000011', '15550000001', '15550000002'],
];
const IMAGE_BYTES = 200_000;
const AT_ONCE = 8;
const VIDEOS = 10;
const MB = 1_000_000;
const PATIENCE_MS = 600_000;
const SETTINGS = {
  pacing: { enabled: false },
  media: { limit_megabytes: 100, chat_megabytes: 0, total_megabytes: 0 },
};

interface MediaBenchOptions {
  readonly images: number;
  /** Of each video. */
  readonly megabytes: number;
}

interface MeasuredRelay {
  readonly demo: Demo;
  readonly database: pg.Client;
}

export async function benchMedia(options: MediaBenchOptions): Promise<readonly Limit[]> {
  const builds = openBuilds();
  try {
    const built = await builtIn(builds.folder);
    const demo = await startDemo({ built, settings: SETTINGS });
    const bare: Worker<BareArm> = new Worker(new URL('./media/arm.ts', import.meta.url));
    const alone: Worker<TransportArm> = new Worker(
      new URL('./media/transport-arm.ts', import.meta.url),
    );
    // One connection for all looks: opening one costs both processes more than an image does.
    const database = new pg.Client({ connectionString: await demo.database() });
    await database.connect();
    try {
      return await measure({ demo, database }, { bare, alone }, options);
    } finally {
      await database.end();
      await bare.end();
      await alone.call('end').catch(() => {});
      await alone.end();
      await demo.stop();
    }
  } finally {
    builds.remove();
  }
}

async function measure(
  relay: MeasuredRelay,
  { bare, alone }: { readonly bare: Worker<BareArm>; readonly alone: Worker<TransportArm> },
  { images, megabytes }: MediaBenchOptions,
): Promise<readonly Limit[]> {
  const { demo, database } = relay;
  const { network, socketUrl } = demo.simulator;
  for (const phone of [RELAY, BARE, ALONE, FRIEND, WRITER]) {
    network.addAccount({ phone: phone ?? '', name: phone ?? '', habits: { receipts: false } });
  }
  await demo.link(RELAY ?? '');
  await accountOf(demo, BARE).scan(await bare.call('begin', { url: socketUrl }));
  await accountOf(demo, ALONE).scan(await alone.call('begin', { url: socketUrl }));
  await until(() => alone.call('isConnected'));
  for (const phoneNumber of [FRIEND, WRITER]) {
    await demo.relay.ok('POST', '/api/whatsapp/permissions', {
      phoneNumber,
      displayName: phoneNumber,
      canRead: true,
    });
  }
  await sendThroughRelay(demo, 20, IMAGE_BYTES);
  const chat = accountOf(demo, FRIEND).jid();
  await bare.call('send', { chat, count: 20, bytes: IMAGE_BYTES, atOnce: AT_ONCE });

  const half = Math.ceil(images / 2);
  const sendBare = () =>
    bare.call('send', { chat, count: half, bytes: IMAGE_BYTES, atOnce: AT_ONCE });
  const bareBefore = await sendBare();
  const relayOut = await sendThroughRelay(demo, images, IMAGE_BYTES);
  const bareOut = ((bareBefore + (await sendBare())) * images) / (2 * half);
  await alone.call('send', { chat, count: 20, bytes: IMAGE_BYTES, atOnce: AT_ONCE });
  const aloneOut = await alone.call('send', {
    chat,
    count: images,
    bytes: IMAGE_BYTES,
    atOnce: AT_ONCE,
  });
  const receiveBare = async () => {
    const before = await bare.call('downloaded');
    return receive(demo, BARE, half, async () => {
      return (await bare.call('downloaded')).done - before.done;
    });
  };
  const bareInBefore = await receiveBare();
  const relayIn = await receive(demo, RELAY, images, () => countStored(database, 'image'));
  const bareIn = ((bareInBefore + (await receiveBare())) * images) / (2 * half);
  const memory = await memoryOfVideos(relay, megabytes * MB);
  const rate = (ms: number) => (images / ms) * 1_000;
  return [
    loadFigure(),
    { name: 'images of 200 KB each way', measured: images, unit: '' },
    { name: 'sent by bare Baileys', measured: rate(bareOut), unit: '/s' },
    { name: 'sent by Relay’s transport alone', measured: rate(aloneOut), unit: '/s' },
    { name: 'sent by Relay', measured: rate(relayOut.sent), unit: '/s' },
    {
      name: 'sent by Relay, with the upload to its API',
      measured: rate(relayOut.total),
      unit: '/s',
    },
    { name: 'received by bare Baileys', measured: rate(bareIn), unit: '/s' },
    { name: 'received by Relay', measured: rate(relayIn), unit: '/s' },
    {
      name: 'out, the transport alone against bare Baileys',
      measured: bareOut / aloneOut,
      unit: '×',
      atLeast: 0.9,
    },
    {
      name: 'out, against bare Baileys',
      measured: bareOut / relayOut.sent,
      unit: '×',
      atLeast: 0.9,
    },
    { name: 'in, against bare Baileys', measured: bareIn / relayIn, unit: '×', atLeast: 0.9 },
    {
      name: `${VIDEOS} videos of ${megabytes} MB at once`,
      measured: megabytes * VIDEOS,
      unit: 'MB',
    },
    { name: 'memory above idle, sending them', measured: memory.out, unit: 'MB', atMost: 150 },
    { name: 'memory above idle, receiving them', measured: memory.in, unit: 'MB', atMost: 150 },
  ];
}

function accountOf(demo: Demo, phone: string | undefined) {
  const found = demo.simulator.network.account(phone ?? '');
  if (found === undefined) throw new Error(`no account has ${phone}`);
  return found;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('waited in vain');
    await sleep(20);
  }
}

// Out: the files are stored in Relay first; `sent` is the time from the first order to send until WhatsApp accepted the
// last message, `total` includes storing them.

async function sendThroughRelay(
  demo: Demo,
  count: number,
  bytes: number,
  kind: 'image' | 'video' = 'image',
): Promise<{ readonly total: number; readonly sent: number }> {
  const files = Array.from({ length: count }, () => (kind === 'image' ? imageOf(bytes) : null));
  const begun = performance.now();
  const ids = await inLanes(count, async (index) => upload(demo, files[index] ?? bytes, kind));
  const ordered = performance.now();
  const to = `+${FRIEND}`;
  const sent = await inLanes(count, async (index) => {
    const media = { id: ids[index], kind };
    return (
      await demo.relay.ok<{ messageId: string }>('POST', '/api/whatsapp/messages', { to, media })
    ).messageId;
  });
  const wanted = new Set(sent);
  await until(async () => {
    const shown = accountOf(demo, FRIEND).messages();
    return shown.filter(({ id }) => wanted.has(id)).length === wanted.size;
  });
  const end = performance.now();
  return { total: end - begun, sent: end - ordered };
}

async function inLanes<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < count; index = next++) done[index] = await work(index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return done;
}

/** It begins like a photo, and is like no other. */
function imageOf(bytes: number): Buffer {
  const file = randomBytes(bytes);
  Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex').copy(file);
  return file;
}

/** The beginning of an MP4 file. */
const VIDEO_HEAD = Buffer.from('000000186674797069736f6d0000020069736f6d69736f32', 'hex');

async function* videoOf(bytes: number): AsyncGenerator<Buffer> {
  yield VIDEO_HEAD;
  const piece = randomBytes(MB);
  for (let left = bytes - VIDEO_HEAD.length; left > 0; left -= MB) {
    piece.writeUInt32LE(left);
    yield Buffer.from(piece.subarray(0, Math.min(left, MB)));
  }
}

async function upload(demo: Demo, file: Buffer | number, kind: string): Promise<string> {
  const body = typeof file === 'number' ? Readable.toWeb(Readable.from(videoOf(file))) : file;
  const answer = await fetch(`${demo.api}/api/media`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${demo.token}`,
      'content-type': kind === 'image' ? 'image/jpeg' : 'video/mp4',
    },
    body: body as NonNullable<RequestInit['body']>,
    duplex: 'half',
  });
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
}

// In: the messages wait at the server, their files at the media host. The time is from the first one that is delivered
// until the last file is complete.

async function receive(
  demo: Demo,
  phone: string | undefined,
  count: number,
  arrived: () => Promise<number>,
): Promise<number> {
  const [companion] = [...accountOf(demo, phone).companions.values()];
  if (companion === undefined) throw new Error(`${phone} has no companion`);
  companion.listening = false;
  const writer = accountOf(demo, WRITER);
  for (let index = 0; index < count; index++) {
    await writer.send(accountOf(demo, phone), { image: imageOf(IMAGE_BYTES), jpegThumbnail: '' });
  }
  const start = performance.now();
  const stanzas = [...companion.pending];
  companion.listening = true;
  for (const stanza of stanzas) companion.connection?.send(stanza);
  await until(async () => (await arrived()) >= count);
  return performance.now() - start;
}

async function countStored(database: pg.Client, kind: 'image' | 'video'): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM relay.media
     WHERE origin = 'received' AND state = 'stored' AND kind = $1`,
    [kind],
  );
  return rows[0]?.count ?? 0;
}

// Memory: the most that the daemon's process takes, above what it took before.

async function memoryOfVideos(
  { demo, database }: MeasuredRelay,
  bytes: number,
): Promise<{ out: number; in: number }> {
  const out = await peakDuring(demo, async () => {
    await sendThroughRelay(demo, VIDEOS, bytes, 'video');
  });
  const received = await peakDuring(demo, async () => {
    const writer = accountOf(demo, WRITER);
    await Promise.all(
      Array.from({ length: VIDEOS }, () =>
        writer.send(accountOf(demo, RELAY), {
          video: { stream: Readable.from(videoOf(bytes)) },
          jpegThumbnail: '',
        }),
      ),
    );
    await until(async () => (await countStored(database, 'video')) >= VIDEOS);
  });
  return { out, in: received };
}

async function peakDuring(demo: Demo, work: () => Promise<void>): Promise<number> {
  await sleep(2_000);
  const idle = residentBytes(demo.pid);
  let peak = idle;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentBytes(demo.pid));
  }, 50);
  try {
    await work();
  } finally {
    clearInterval(watch);
  }
  return (peak - idle) / MB;
}

const residentBytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) *
  1_024;
