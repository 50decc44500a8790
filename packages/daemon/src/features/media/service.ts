// Media for the other parts: storing an upload, finding a piece of media, reading its bytes.

import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { TokenClient } from '@relay/contract/api/credentials';
import type { MediaKind, UploadedMedia } from '@relay/contract/api/media';
import { RelayError } from '@relay/contract/errors';
import { type MediaId, mediaId, type TokenId } from '@relay/contract/ids';
import { bareType, settleType } from '@relay/core/media/type';
import { sql } from 'kysely';
import { findMedia, type MediaRow, recordObjectsSql } from '../../platform/db/media.ts';
import { noteTokenReads } from '../../platform/db/tokens.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { readableChats } from '../search/scope.ts';
import type { MediaDeps } from './deps.ts';
import { readRoom, removeUnusedFiles } from './room.ts';
import type { ByteRange } from './sealed-file.ts';
import { Sniffer } from './sniffer.ts';
import { MediaTooLarge } from './store.ts';

export interface UploadToStore {
  readonly mimeType: string;
  readonly fileName: string | null;
  /** The client; null for the owner. */
  readonly token: TokenId | null;
}

export interface MediaService {
  /** Stores the bytes. The row belongs to no chat until a message carries it. */
  upload(source: AsyncIterable<Uint8Array>, upload: UploadToStore): Promise<UploadedMedia>;
  find(id: MediaId): Promise<MediaRow | null>;
  /** The same for a client: its own uploads, and media of chats that it may read. Null stands for the owner. */
  findFor(id: MediaId, client: TokenClient | null): Promise<MediaRow | null>;
  /** The plain bytes of stored media, or a part of them. */
  open(row: MediaRow, range?: Partial<ByteRange>): Promise<Readable>;
}

export const createMediaService = (deps: MediaDeps): MediaService => ({
  upload: (source, upload) => storeUpload(deps, source, upload),
  find: (id) => findMedia(deps.db, deps.lease.account, id),
  findFor: (id, client) => findForClient(deps, id, client),
  async open({ object }, range) {
    if (object === null) throw new RelayError('media_not_stored');
    return (await deps.store.open(object, range)).stream;
  },
});

async function findForClient(
  { db, lease: { account }, admins }: MediaDeps,
  id: MediaId,
  client: TokenClient | null,
): Promise<MediaRow | null> {
  const row = await findMedia(db, account, id);
  if (row === null || client === null || row.token_id === client.id) return row;
  if (row.chat_id === null) return null;
  const scope = { kind: 'token', contacts: client.contacts } as const;
  const { rows } = await sql<{ yes: boolean }>`
    SELECT ${row.chat_id}::uuid IN (${readableChats(account, scope, admins)}) AS yes`.execute(db);
  if (rows[0]?.yes !== true) return null;
  // A file is read like a text: what the client sends elsewhere afterwards needs an approval.
  await noteTokenReads(db, account, client.id, [row.chat_id]);
  return row;
}

/** For a message that is sent: a row that is gone, or has no bytes, ends the upload. */
export async function* openStored(media: MediaService, id: MediaId): AsyncGenerator<Uint8Array> {
  const row = await media.find(id);
  if (row === null) throw new RelayError('media_not_found');
  yield* await media.open(row);
}

async function storeUpload(
  deps: MediaDeps,
  source: AsyncIterable<Uint8Array>,
  { mimeType: declared, fileName, token }: UploadToStore,
): Promise<UploadedMedia> {
  const { account } = deps.lease;
  const limit = deps.limits().limit_megabytes * 1_000_000;
  const sniffer = new Sniffer(source);
  let placed: string | null = null;
  try {
    return await deps.store.put(sniffer, { limit }, async (stored) => {
      placed = stored.object;
      if (stored.bytes === 0)
        throw new RelayError('invalid_request', { what: 'the file is empty' });
      const { detected, isText } = await sniffer.detect();
      const wanted = kindOfType(bareType(detected ?? declared));
      const { kind, mimeType } = settleType({ kind: wanted, declared, detected, isText });
      return transaction(deps, async ({ tx }) => {
        const room = await readRoom(tx, account, deps.limits(), []);
        if (room.take(null, stored.bytes) !== null) throw new RelayError('media_no_room');
        const id = mediaId(randomUUID());
        const { bytes, sha256 } = stored;
        const now = deps.now();
        await sql`WITH object AS (${recordObjectsSql(account, [stored])})
          INSERT INTO media (account_id, id, origin, token_id, kind, mime_type, file_name, bytes, sha256, state,
            created_at, stored_at)
          VALUES (${account}, ${id}, 'uploaded', ${token}, ${kind}, ${mimeType}, ${fileName}, ${bytes}, ${sha256},
            'stored', ${now}, ${now})`.execute(tx);
        return { id, bytes, sha256: sha256.toString('hex') };
      });
    });
  } catch (error) {
    if (placed !== null) await removeUnusedFiles(deps, [placed]);
    if (error instanceof MediaTooLarge) {
      throw new RelayError('media_too_large', { megabytes: Math.floor(limit / 1_000_000) });
    }
    throw error;
  }
}

/** What a file is if nothing else says so. Audio is sent as a file, not as a voice message. */
export function kindOfType(mimeType: string): MediaKind {
  const [group] = mimeType.split('/');
  if (group === 'image' || group === 'video' || group === 'audio') return group;
  return 'document';
}

/** For small files only. Null if it was removed meanwhile. */
export async function readWholeFile(
  { store, log }: Pick<MediaDeps, 'store' | 'log'>,
  object: string,
): Promise<Uint8Array | null> {
  try {
    return new Uint8Array(await buffer((await store.open(object)).stream));
  } catch (error) {
    log.warn('a stored file could not be read', { error });
    return null;
  }
}
