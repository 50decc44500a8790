// A push service on this machine, with the browsers that subscribed to it. As the standards ask, it takes only messages
// whose signature (VAPID, RFC 8292) verifies, and decrypts each as its browser would (aes128gcm, RFC 8291), with
// `node:crypto` alone: what the daemon uses to encrypt proves nothing about itself.
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PushPayload } from '@relay/contract/notifications/push-payload';

export interface PushedMessage {
  readonly payload: PushPayload;
  readonly headers: IncomingHttpHeaders;
  /** The public key that signed it. */
  readonly signedBy: string;
}

export interface Subscription {
  /** As `PushSubscription.toJSON` gives it. */
  readonly json: { readonly endpoint: string; readonly keys: { p256dh: string; auth: string } };
  /** What arrived, oldest first. */
  readonly messages: PushedMessage[];
  /** The status of the next answers, instead of 201. */
  readonly answers: number[];
}

export interface PushService {
  /** Host and port, as `notifications.allow` wants it. */
  readonly place: string;
  /** Why messages were refused. */
  readonly refused: string[];
  subscribe(): Subscription;
  close(): void;
}

interface Browser extends Subscription {
  readonly key: ECDH;
  readonly auth: Buffer;
}

export async function startPushService(host = '127.0.0.1'): Promise<PushService> {
  const browsers = new Map<string, Browser>();
  const refused: string[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const browser = browsers.get(request.url ?? '');
    if (browser === undefined) return void response.writeHead(410).end();
    const answer = browser.answers.shift();
    if (answer !== undefined && answer > 299) return void response.writeHead(answer).end();
    try {
      const signedBy = verifyVapid(request.headers, `http://${place}`);
      const payload = JSON.parse(decrypt(Buffer.concat(parts), request.headers, browser));
      browser.messages.push({ payload, headers: request.headers, signedBy });
      response.writeHead(201).end();
    } catch (error) {
      refused.push(String(error));
      response.writeHead(400).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const place = `${host}:${(server.address() as AddressInfo).port}`;
  return {
    place,
    refused,
    subscribe() {
      const path = `/push/${randomBytes(12).toString('hex')}`;
      const key = createECDH('prime256v1');
      key.generateKeys();
      const auth = randomBytes(16);
      const browser: Browser = {
        key,
        auth,
        json: {
          endpoint: `http://${place}${path}`,
          keys: {
            p256dh: key.getPublicKey('base64url'),
            auth: auth.toString('base64url'),
          },
        },
        messages: [],
        answers: [],
      };
      browsers.set(path, browser);
      return browser;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const LONGEST_TOKEN_S = 86_400;

/** Returns the public key; throws unless the token is for this service, not expired and signed with that key. */
function verifyVapid({ authorization = '' }: IncomingHttpHeaders, audience: string): string {
  const [, token = '', key = ''] = /^vapid t=([^,]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const x = point.subarray(1, 33).toString('base64url');
  const y = point.subarray(33).toString('base64url');
  const signer = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: signer, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) throw new Error('the signature is wrong');
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  if (aud !== audience) throw new Error(`the token is for ${aud}`);
  const left = exp - Date.now() / 1000;
  if (left <= 0 || left > LONGEST_TOKEN_S) throw new Error('the token has expired, or never does');
  if (!/^(mailto:.+@.+|https:)/.test(sub)) throw new Error('the token names no contact');
  return key;
}

/** RFC 8188 with the keys of RFC 8291. */
function decrypt(body: Buffer, headers: IncomingHttpHeaders, { key, auth }: Browser): string {
  if (headers['content-encoding'] !== 'aes128gcm') throw new Error('not aes128gcm');
  if (!Number.isFinite(Number(headers.ttl))) throw new Error('no TTL');
  const salt = body.subarray(0, 16);
  const keyLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + keyLength);
  const sealed = body.subarray(21 + keyLength);
  const shared = key.computeSecret(sender);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), key.getPublicKey(), sender]);
  const material = Buffer.from(hkdfSync('sha256', shared, auth, info, 32));
  const derive = (name: string, length: number) =>
    Buffer.from(
      hkdfSync('sha256', material, salt, Buffer.from(`Content-Encoding: ${name}\0`), length),
    );
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
  decipher.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  // Padding: zeros after the delimiter of the last record.
  return plain.subarray(0, plain.lastIndexOf(2)).toString();
}
