// Harness for media: database, jobs and store, with messages received as the intake stores them, and a transport whose
// files the test provides.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { MessageId } from '@relay/contract/ids';
import { type MediaSettings, mediaSettingsSchema } from '@relay/contract/settings';
import { silentLog } from '@relay/core/log';
import type { IncomingMessage } from '@relay/core/messages/message';
import type { MessageWithMedia, TransportCapabilities } from '@relay/core/ports/transport';
import { UNLINKED } from '@relay/testing/link';
import { testSealer } from '@relay/testing/sealer';
import { eventually, freshStore, type TestStore } from '@relay/testing/store';
import { onTestFinished } from 'vitest';
import { takeInBatch } from '../../../pipeline/intake/intake.ts';
import { PostgresEventLog } from '../../../platform/db/events.ts';
import { takeLease } from '../../../platform/db/lease.ts';
import { openInboxContent, sealInboxContent } from '../../../platform/db/transport-store/sealed.ts';
import { Jobs } from '../../../platform/jobs/jobs.ts';
import type { MediaDeps } from '../deps.ts';
import { type Media, openMedia } from '../feature.ts';
import { createMediaService, type MediaService } from '../service.ts';
import { MediaStore } from '../store.ts';

export const BOB = '4915100000001@s.whatsapp.net';
export const ADMIN = '4915100000099';

type Download = NonNullable<TransportCapabilities['downloadMedia']>;

export interface MediaFixture extends TestStore {
  readonly media: Media;
  readonly service: MediaService;
  readonly deps: MediaDeps;
  readonly home: string;
  readonly settings: MediaSettings;
  /** Stores a message, by default a photo from Bob. Returns WhatsApp's id. */
  receive(over?: Partial<IncomingMessage>): Promise<MessageId>;
  /** What the transport gives for a message; the content names it. */
  download: Download;
  again: (message: MessageWithMedia) => Promise<string>;
  /** Every download so far: the message, and the path if the phone named another. */
  readonly downloads: { id: MessageId; path: string | null }[];
  connected: boolean;
  diskLow: boolean;
  setNow(now: Date): void;
  grantBob(): Promise<void>;
  row(id: MessageId): Promise<MediaFacts>;
  reaches(id: MessageId, state: string): Promise<MediaFacts>;
  /** Makes delayed jobs due. */
  skipDelays(): Promise<void>;
  bytesOf(id: MessageId): Promise<Buffer>;
  /** Every file under the store's folder. */
  files(): Promise<string[]>;
  start(): Promise<void>;
}

interface MediaFacts {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly kind: string;
  readonly mime_type: string | null;
  readonly bytes: number | null;
  readonly attempts: number;
}

export const PHOTO = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex'),
  Buffer.alloc(150_000, 'pixels'),
]);

export async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 16_384) yield bytes.subarray(at, at + 16_384);
}

export async function openMediaFixture(): Promise<MediaFixture> {
  const store = await freshStore(onTestFinished);
  const { database, account, sql } = store;
  const db = database.kysely;
  const home = await mkdtemp(join(tmpdir(), 'relay-media-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const lease = await takeLease(db, account, randomUUID());
  if (lease === null) throw new Error('a fresh account is free');
  const jobs = await Jobs.start(database, silentLog);
  onTestFinished(() => jobs.stop(100));
  const settings = { ...mediaSettingsSchema.parse({}) };
  const events = new PostgresEventLog(db, account);
  let now = new Date('2026-03-01T12:00:00Z');
  let received = 0;
  const files = new MediaStore({ home, account, sealer: testSealer });
  const deps: MediaDeps = {
    db,
    lease,
    jobs,
    events,
    log: silentLog,
    now: () => now,
    zone: 'UTC',
    store: files,
    admins: [ADMIN],
    limits: () => settings,
  };
  const service = createMediaService(deps);
  const media = openMedia({
    ...deps,
    isDiskLow: () => fixture.diskLow,
    openContent: (row) => openInboxContent(testSealer, account, row),
    transport: {
      get link() {
        return { ...UNLINKED, state: fixture.connected ? ('connected' as const) : UNLINKED.state };
      },
      capabilities: {
        downloadMedia: (message, options) => {
          fixture.downloads.push({ id: message.id, path: options.path ?? null });
          return fixture.download(message, options);
        },
        requestMediaAgain: (message) => fixture.again(message),
      },
    },
  });
  const row = async (id: MessageId): Promise<MediaFacts> => {
    const [found] = await sql<MediaFacts & Record<string, unknown>>(
      `SELECT id, state, reason, kind, mime_type, bytes, attempts FROM media WHERE message_id = $1`,
      [id],
    );
    if (found === undefined) throw new Error(`${id} has no media`);
    return found;
  };
  const fixture: MediaFixture = {
    ...store,
    media,
    service,
    deps,
    home,
    settings,
    downloads: [],
    connected: true,
    diskLow: false,
    download: () => pieces(PHOTO),
    again: async () => {
      throw new Error('unexpected call');
    },
    setNow: (next) => {
      now = next;
    },
    async receive(over = {}) {
      received += 1;
      const id = (over.id ?? `3EB0${String(received).padStart(12, '0')}`) as MessageId;
      const chat = over.chat ?? BOB;
      const message: IncomingMessage = {
        id,
        chat,
        isGroup: chat.endsWith('@g.us'),
        sender: BOB,
        fromMe: false,
        alsoKnownAs: [],
        pushName: 'Bob',
        sentAt: now,
        kind: 'imageMessage',
        body: '[Image]',
        quotedId: null,
        media: {
          kind: 'image',
          mimeType: 'image/jpeg',
          fileName: null,
          size: PHOTO.length,
          seconds: null,
        },
        details: null,
        late: false,
        expiresAfterS: null,
        ...over,
      };
      const key = { chat: message.chat, sender: message.sender, message_id: id };
      const content = Buffer.from(JSON.stringify(message));
      await sql(
        `INSERT INTO inbox (account_id, chat, sender, message_id, stanza, content)
         VALUES ($1, $2, $3, $4, '', $5)`,
        [account, key.chat, key.sender, id, sealInboxContent(testSealer, account, key, content)],
      );
      await takeInBatch(
        {
          db,
          lease,
          jobs,
          admins: [ADMIN],
          unseal: (one) => openInboxContent(testSealer, account, one),
          read: (_stanza, bytes) => {
            const read = JSON.parse(Buffer.from(bytes).toString()) as IncomingMessage;
            return { ...read, sentAt: new Date(read.sentAt) };
          },
        },
        10,
      );
      jobs.wake('media');
      return id;
    },
    async grantBob() {
      await sql(
        `INSERT INTO grants (account_id, contact_id, can_read, can_reply, can_initiate, reply_mode)
         SELECT account_id, contact_id, true, false, false, 'draft' FROM contact_aliases
         WHERE account_id = $1 AND value = $2`,
        [account, BOB.split('@')[0]],
      );
      events.hint();
    },
    row,
    async reaches(id, state) {
      await eventually(async () => (await row(id)).state === state);
      return row(id);
    },
    async skipDelays() {
      await sql(`UPDATE relay_jobs.job SET start_after = now() WHERE name = 'media'`);
      jobs.wake('media');
    },
    async bytesOf(id) {
      const found = await service.find((await row(id)).id as never);
      if (found === null) throw new Error(`${id} has no media`);
      return buffer(await service.open(found));
    },
    async files() {
      const all = await readdir(join(home, 'media'), {
        recursive: true,
        withFileTypes: true,
      }).catch(() => []);
      return all.filter((entry) => entry.isFile()).map(({ name }) => name);
    },
    async start() {
      const stop = await media.start();
      onTestFinished(() => stop());
    },
  };
  return fixture;
}
