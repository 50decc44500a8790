// Downloads the file of a received message from WhatsApp's media hosts, decrypts it as it arrives and checks it.
// Invariant: a request goes only to a host that the server named, whatever the message says, because its sender wrote
// that. What was yielded counts only when the download ended without a fault.
import { createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import {
  type DownloadOptions,
  MediaFault,
  type MessageWithMedia,
} from '@relay/core/ports/transport';
import {
  type BaileysEventMap,
  type BinaryNode,
  decryptMediaRetryData,
  encryptMediaRetryRequest,
  getMediaKeys,
  type MediaType,
  proto,
  type WASocket,
} from '@whiskeysockets/baileys';
import { isGroupJid } from '../addresses.ts';
import type { TransportTimings } from '../socket.ts';
import { openContent } from './read-message.ts';

const MAC_BYTES = 10;
const BLOCK_BYTES = 16;
const KEY_BYTES = 32;
const HASH_BYTES = 32;
const ORIGIN = 'https://web.whatsapp.com';

/** Connections are kept, one for each concurrent download: a chat with many photos would otherwise make one for each. */
const agent = new Agent({ keepAlive: true, maxFreeSockets: 16, timeout: 60_000 });

const TYPES: Readonly<Partial<Record<string, MediaType>>> = {
  imageMessage: 'image',
  videoMessage: 'video',
  ptvMessage: 'video',
  audioMessage: 'audio',
  documentMessage: 'document',
  stickerMessage: 'sticker',
};

interface SealedMedia {
  readonly type: MediaType;
  readonly key: Uint8Array;
  readonly path: string | null;
  /** Of the file as it is sealed, and of the file itself. */
  readonly sealedHash: Uint8Array;
  readonly hash: Uint8Array;
  /** Of the file itself, as declared. */
  readonly bytes: number;
}

function readSealedMedia(content: Uint8Array): SealedMedia {
  const { kind = '', message } = openContent(content);
  const type = TYPES[kind];
  const part = message?.[kind as keyof proto.IMessage] as proto.Message.IImageMessage | undefined;
  const { directPath, fileEncSha256, fileLength, fileSha256, mediaKey } = part ?? {};
  const bytes = Number(fileLength ?? Number.NaN);
  if (
    type === undefined ||
    mediaKey?.length !== KEY_BYTES ||
    fileSha256?.length !== HASH_BYTES ||
    fileEncSha256?.length !== HASH_BYTES ||
    !Number.isSafeInteger(bytes) ||
    bytes < 0
  )
    throw new MediaFault('malformed');
  return {
    type,
    key: mediaKey,
    path: directPath ?? null,
    sealedHash: fileEncSha256,
    hash: fileSha256,
    bytes,
  };
}

/** Padding fills the last block, or is one of its own. */
const sealedLength = (bytes: number): number =>
  (Math.floor(bytes / BLOCK_BYTES) + 1) * BLOCK_BYTES + MAC_BYTES;

interface DownloadDeps {
  readonly socket: WASocket;
  readonly timings: TransportTimings;
}

export async function* downloadMedia(
  { socket, timings }: DownloadDeps,
  message: MessageWithMedia,
  { limit, path, signal }: DownloadOptions,
): AsyncGenerator<Uint8Array> {
  const sealed = readSealedMedia(message.content);
  const place = path ?? sealed.path;
  if (place === null) throw new MediaFault('malformed');
  if (sealed.bytes > limit) throw new MediaFault('too_large');
  const hosts = await mediaHosts(socket);
  const stop = new AbortController();
  const most = timings.mediaIdleMs + (sealedLength(sealed.bytes) / timings.mediaBytesPerS) * 1_000;
  const deadline = setTimeout(() => stop.abort(), most);
  const given = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
  let response: IncomingMessage | null = null;
  try {
    response = await requestFirst(hosts, place, given, timings.mediaIdleMs);
    yield* decrypt(sealed, response);
  } catch (cause) {
    // Whatever a connection does that was not expected, another attempt may succeed.
    throw cause instanceof MediaFault ? cause : new MediaFault('unreachable', { cause });
  } finally {
    clearTimeout(deadline);
    response?.destroy();
  }
}

async function mediaHosts(socket: WASocket): Promise<readonly string[]> {
  try {
    const { hosts } = await socket.refreshMediaConn(false);
    if (hosts.length > 0) return hosts.map(({ hostname }) => hostname);
  } catch (cause) {
    throw new MediaFault('not_connected', { cause });
  }
  throw new MediaFault('unreachable');
}

/** The response of the first host that has the file. */
async function requestFirst(
  hosts: readonly string[],
  path: string,
  signal: AbortSignal,
  idleMs: number,
): Promise<IncomingMessage> {
  let fault = new MediaFault('unreachable');
  for (const host of hosts.slice(0, MOST_HOSTS)) {
    try {
      const response = await request(mediaUrl(host, path), signal, idleMs);
      if (response.statusCode === 200) return response;
      response.destroy();
      if (GONE.has(response.statusCode ?? 0)) fault = new MediaFault('expired');
    } catch (cause) {
      if (signal.aborted || (cause instanceof MediaFault && cause.kind === 'malformed'))
        throw cause;
    }
  }
  throw fault;
}

const MOST_HOSTS = 3;
/** WhatsApp deletes files after some weeks, and signs its links for some days. */
const GONE: ReadonlySet<number> = new Set([401, 403, 404, 410]);

/** A path such as `@elsewhere/` would otherwise make the host a user name. */
function mediaUrl(host: string, path: string): URL {
  const url = URL.canParse(`https://${host}${path}`) ? new URL(`https://${host}${path}`) : null;
  if (!path.startsWith('/') || url === null || url.host !== new URL(`https://${host}`).host)
    throw new MediaFault('malformed');
  return url;
}

async function request(url: URL, signal: AbortSignal, idleMs: number): Promise<IncomingMessage> {
  const headers = { origin: ORIGIN, 'accept-encoding': 'identity' };
  const sent = get(url, { agent, headers, signal });
  sent.setTimeout(idleMs, () => sent.destroy(new Error('nothing arrives')));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

/** Yields what is decrypted, and throws at the end unless all of it is what the message says. */
async function* decrypt(
  sealed: SealedMedia,
  source: AsyncIterable<Buffer>,
): AsyncGenerator<Uint8Array> {
  const { cipherKey, iv, macKey } = await getMediaKeys(sealed.key, sealed.type);
  if (macKey === undefined) throw new MediaFault('malformed');
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
  const mac = createHmac('sha256', macKey).update(iv);
  const sealedHash = createHash('sha256');
  const hash = createHash('sha256');
  const expected = sealedLength(sealed.bytes);
  let arrived = 0;
  let ownMac: Buffer = Buffer.alloc(0);
  for await (const piece of source) {
    // The last bytes of the file are its MAC.
    const body = piece.subarray(0, Math.max(0, expected - MAC_BYTES - arrived));
    arrived += piece.length;
    if (arrived > expected) throw new MediaFault('damaged');
    sealedHash.update(piece);
    if (body.length < piece.length) ownMac = Buffer.concat([ownMac, piece.subarray(body.length)]);
    if (body.length === 0) continue;
    mac.update(body);
    const plain = decipher.update(body);
    hash.update(plain);
    if (plain.length > 0) yield plain;
  }
  // A host that ends early is more likely than a wrong length in the message.
  if (arrived < expected) throw new MediaFault('unreachable');
  const isSound =
    isEqual(mac.digest().subarray(0, MAC_BYTES), ownMac) &&
    isEqual(sealedHash.digest(), sealed.sealedHash);
  if (!isSound) throw new MediaFault('damaged');
  const last = decipher.final();
  hash.update(last);
  if (last.length > 0) yield last;
  if (!isEqual(hash.digest(), sealed.hash)) throw new MediaFault('damaged');
}

const isEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && timingSafeEqual(a, b);

// Asks the account's own phone to upload a file again. The request names the message and is sealed with the file's key;
// so is the answer, which a server without that key cannot make.

const { ResultType } = proto.MediaRetryNotification;

export async function requestMediaAgain(
  { socket, timings }: DownloadDeps,
  { id, chat, sender, fromMe, content }: MessageWithMedia,
): Promise<string> {
  const { key } = readSealedMedia(content);
  const own = socket.user?.id;
  if (own === undefined) throw new MediaFault('not_connected');
  const of = {
    id,
    remoteJid: chat,
    fromMe,
    ...(isGroupJid(chat) && !fromMe ? { participant: sender } : {}),
  };
  const answer = awaitAnswer(socket, id, timings.mediaAgainMs);
  try {
    await socket.sendNode(encryptMediaRetryRequest(of, Buffer.from(key), own) as BinaryNode);
  } catch (cause) {
    answer.stop();
    throw new MediaFault('not_connected', { cause });
  }
  const update = await answer.update;
  if (update.error !== undefined || update.media === undefined) throw new MediaFault('not_there');
  const { directPath, result } = openAnswer(update.media, key, id);
  if (result !== ResultType.SUCCESS || !directPath) throw new MediaFault('not_there');
  return directPath;
}

type MediaUpdate = BaileysEventMap['messages.media-update'][number];

function openAnswer(media: NonNullable<MediaUpdate['media']>, key: Uint8Array, id: string) {
  try {
    return decryptMediaRetryData(media, key, id);
  } catch (cause) {
    throw new MediaFault('not_there', { cause });
  }
}

function awaitAnswer(socket: WASocket, id: string, withinMs: number) {
  const { promise, resolve, reject } = Promise.withResolvers<MediaUpdate>();
  const look = (updates: BaileysEventMap['messages.media-update']) => {
    const found = updates.find(({ key }) => key.id === id);
    if (found !== undefined) resolve(found);
  };
  const end = ({ connection }: BaileysEventMap['connection.update']) => {
    if (connection === 'close') reject(new MediaFault('not_connected'));
  };
  const timer = setTimeout(() => reject(new MediaFault('no_answer')), withinMs);
  socket.ev.on('messages.media-update', look);
  socket.ev.on('connection.update', end);
  const stop = () => {
    clearTimeout(timer);
    socket.ev.off('messages.media-update', look);
    socket.ev.off('connection.update', end);
  };
  // Handled here too, because the caller may no longer wait for it.
  promise.then(stop, stop);
  return { update: promise, stop };
}
