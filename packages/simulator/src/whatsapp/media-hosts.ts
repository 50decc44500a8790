// The media hosts: encrypted files over https, POST to store and GET to fetch, streamed to and from a temporary folder.
// Invariants: they never see a key; a file is stored only under the hash of its own bytes; `close` removes everything.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Faults, MediaDownloadFault } from './faults.ts';
import { mediaCertificate } from './wire/trust.ts';

const HOST = '127.0.0.1';
const UPLOAD_PATH = /^\/(?:mms|product|pps)\/[a-z-]+\/([\w%-]+)$/;
const SLOW_PARTS_PER_SECOND = 20;

/** What uploads must name; the answer to `media_conn` carries it. */
export const MEDIA_AUTH = 'sim';
/** The largest encrypted file; the answer to `media_conn` carries it. */
export const MAX_MEDIA_BYTES = 100 << 20;

interface StoredMedia {
  url: string;
  directPath: string;
}

interface Blob {
  file: string;
  bytes: number;
  /** The status of downloads: 200, or 404 or 410 once the link has expired. */
  status: number;
}

/** One request to a media host, counted when its answer begins. */
interface MediaRequest {
  direction: 'download' | 'upload';
  directPath: string;
  /** 0 for an upload that gets no answer. */
  status: number;
}

class MediaRefusal extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`refused with ${status}`);
    this.status = status;
  }
}

export class MediaHosts {
  /** Every request so far, oldest first. */
  readonly requests: MediaRequest[] = [];
  readonly #blobs = new Map<string, Blob>();
  readonly #faults: Faults;
  readonly #server: Server;
  #folder: Promise<string> | undefined;
  #host = HOST;

  constructor(faults: Faults) {
    this.#faults = faults;
    this.#server = createServer(mediaCertificate(), (request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        if (error instanceof MediaRefusal && !response.headersSent) {
          response.writeHead(error.status, { connection: 'close' }).end();
        } else response.destroy();
      });
    });
  }

  get host(): string {
    return this.#host;
  }

  async listen(): Promise<void> {
    const { promise, reject, resolve } = Promise.withResolvers<void>();
    this.#server.once('error', reject).listen(0, HOST, resolve);
    await promise;
    this.#host = `${HOST}:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
    if (this.#folder) await rm(await this.#folder, { recursive: true, force: true });
  }

  /** Number of encrypted files. */
  get size(): number {
    return new Set([...this.#blobs.values()].map(({ file }) => file)).size;
  }

  /** Stores what a phone encrypted. */
  async add(source: Readable): Promise<StoredMedia> {
    const { bytes, file, hash } = await this.#write(source);
    return this.#publish(hash, { file, bytes, status: 200 });
  }

  /** The encrypted bytes behind a link that still works; undefined otherwise. */
  async read(directPath: string): Promise<Buffer | undefined> {
    const blob = this.#blobs.get(directPath);
    return blob?.status === 200 ? readFile(blob.file) : undefined;
  }

  /** Downloads of this link are answered with this status from now on. */
  expire(directPath: string, status: 404 | 410 = 410): void {
    const blob = this.#blobs.get(directPath);
    if (!blob) throw new Error(`the store has no ${directPath}`);
    blob.status = status;
  }

  /** Uploads the same bytes again, as a phone does on request: a new link; undefined for an unknown one. */
  republish(directPath: string): StoredMedia | undefined {
    const blob = this.#blobs.get(directPath);
    return blob && this.#publish(randomBytes(16).toString('base64url'), { ...blob, status: 200 });
  }

  #publish(name: string, blob: Blob): StoredMedia {
    // Like the service's links, it works only with its query.
    const directPath = `/v/t62.7118-24/${name}_n.enc?ccb=11-4&oh=${name.slice(0, 8)}&_nc_sid=5e03e0`;
    this.#blobs.set(directPath, blob);
    return { url: `https://${this.#host}${directPath}`, directPath };
  }

  async #write(source: Readable): Promise<{ bytes: number; file: string; hash: string }> {
    this.#folder ??= mkdtemp(join(tmpdir(), 'relay-simulator-media-'));
    const folder = await this.#folder;
    const part = join(folder, `${randomBytes(12).toString('hex')}.part`);
    const sha256 = createHash('sha256');
    let bytes = 0;
    try {
      await pipeline(
        source,
        async function* (parts: AsyncIterable<Buffer>) {
          for await (const chunk of parts) {
            bytes += chunk.length;
            if (bytes > MAX_MEDIA_BYTES) throw new MediaRefusal(413);
            sha256.update(chunk);
            yield chunk;
          }
        },
        createWriteStream(part, { mode: 0o600 }),
      );
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
    const hash = sha256.digest('base64url');
    const file = join(folder, hash);
    await rename(part, file);
    return { bytes, file, hash };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST') return this.#upload(request, response);
    if (request.method === 'GET') return this.#download(request, response);
    throw new MediaRefusal(405);
  }

  async #upload(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', `https://${this.#host}`);
    const fault = this.#faults.takeMediaUpload();
    const name = decodeURIComponent(UPLOAD_PATH.exec(pathname)?.[1] ?? '');
    const refuse = (status: number): never => {
      this.requests.push({ direction: 'upload', directPath: pathname, status });
      throw new MediaRefusal(status);
    };
    if (searchParams.get('auth') !== MEDIA_AUTH) refuse(401);
    if (fault?.kind === 'status') refuse(fault.status);
    if (fault?.kind === 'cut' || fault?.kind === 'stalled') {
      this.requests.push({ direction: 'upload', directPath: pathname, status: 0 });
      if (fault.kind === 'cut') request.socket.destroy();
      return;
    }
    const { bytes, file, hash } = await this.#write(request);
    // The name is the hash of the encrypted bytes; the service refuses a file that arrived damaged.
    if (hash !== name) refuse(400);
    const { directPath, url } = this.#publish(hash, { file, bytes, status: 200 });
    this.requests.push({ direction: 'upload', directPath, status: 200 });
    const answer = fault?.kind === 'no_path' ? {} : { url, direct_path: directPath };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  }

  async #download(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const directPath = request.url ?? '/';
    const blob = this.#blobs.get(directPath);
    const fault = blob?.status === 200 ? this.#faults.takeMediaDownload() : undefined;
    const status = fault?.kind === 'status' ? fault.status : (blob?.status ?? 404);
    if (fault?.kind === 'redirected') {
      this.requests.push({ direction: 'download', directPath, status: 302 });
      response.writeHead(302, { location: fault.to }).end();
      return;
    }
    this.requests.push({ direction: 'download', directPath, status });
    if (!blob || status !== 200) throw new MediaRefusal(status);
    if (fault) return sendFaulty(fault, blob, response);

    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    const start = Number(range?.[1] ?? 0);
    const end = Math.min(range?.[2] ? Number(range[2]) : blob.bytes - 1, blob.bytes - 1);
    if (start > end) throw new MediaRefusal(416);
    const headers = {
      'content-type': 'application/octet-stream',
      'content-length': String(end - start + 1),
      'accept-ranges': 'bytes',
    };
    if (range) {
      const content = `bytes ${start}-${end}/${blob.bytes}`;
      response.writeHead(206, { ...headers, 'content-range': content });
    } else response.writeHead(200, headers);
    await pipeline(createReadStream(blob.file, { start, end }), response);
  }
}

/** Sends a file wrongly. Invariant: what a fault does not name is right, so that each check is tested alone. */
async function sendFaulty(
  fault: MediaDownloadFault,
  { bytes, file }: Blob,
  response: ServerResponse,
): Promise<void> {
  const whole = await readFile(file);
  const half = whole.subarray(0, Math.floor(bytes / 2));
  switch (fault.kind) {
    case 'altered': {
      const at = Math.floor(bytes / 2);
      whole.writeUInt8(whole.readUInt8(at) ^ 0xff, at);
      response.end(whole);
      return;
    }
    case 'truncated':
      response.end(half);
      return;
    case 'cut':
      response.writeHead(200, { 'content-length': String(bytes) });
      response.write(half, () => response.destroy());
      return;
    case 'stalled':
      response.writeHead(200, { 'content-length': String(bytes) }).write(half);
      return;
    case 'slow':
      response.writeHead(200, { 'content-length': String(bytes) });
      await pipeline(Readable.from(slowly(whole, fault.bytesPerSecond)), response);
      return;
    case 'endless':
      response.writeHead(200);
      await pipeline(Readable.from(endlessly(whole)), response);
      return;
    default:
      throw new Error(`${fault.kind} has no body`);
  }
}

async function* slowly(bytes: Buffer, perSecond: number): AsyncGenerator<Buffer> {
  const size = Math.max(1, Math.floor(perSecond / SLOW_PARTS_PER_SECOND));
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size);
    await wait(1000 / SLOW_PARTS_PER_SECOND);
  }
}

async function* endlessly(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
  for (;;) {
    yield randomBytes(64 * 1024);
    await wait(1);
  }
}
