// Transport contract for the files of received messages: byte-identical after decryption, or not at all.
import { randomBytes } from 'node:crypto';
import { MediaFault, type MediaFaultKind } from '@relay/core/ports/transport';
import type { MediaDownloadFault } from '@relay/simulator/whatsapp/faults';
import type { SendableContent } from '@relay/simulator/whatsapp/media';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { eventually, type MakeHarness, type RawMessage, TransportFixture } from './harness.ts';

const FILE = randomBytes(300_001);
const LIMIT = 1_000_000;

const KINDS: readonly [string, SendableContent, object][] = [
  ['image', { image: FILE, caption: 'a cat' }, { mimeType: 'image/jpeg' }],
  ['voice', { audio: FILE, ptt: true, mimetype: 'audio/ogg; codecs=opus' }, {}],
  ['audio', { audio: FILE, mimetype: 'audio/mp4' }, { mimeType: 'audio/mp4' }],
  ['video', { video: FILE }, { mimeType: 'video/mp4' }],
  [
    'document',
    { document: FILE, mimetype: 'application/pdf', fileName: 'a.pdf' },
    { fileName: 'a.pdf', size: FILE.length },
  ],
  ['sticker', { sticker: FILE }, { mimeType: 'image/webp' }],
];

/** A fault of the hosts, and what a download ends with. */
const FAULTS: readonly [MediaDownloadFault, MediaFaultKind][] = [
  [{ kind: 'status', status: 500 }, 'unreachable'],
  [{ kind: 'status', status: 403 }, 'expired'],
  [{ kind: 'altered' }, 'damaged'],
  [{ kind: 'truncated' }, 'unreachable'],
  [{ kind: 'cut' }, 'unreachable'],
  [{ kind: 'stalled' }, 'unreachable'],
  // At this rate it would take five minutes; the harness allows four seconds.
  [{ kind: 'slow', bytesPerSecond: 1_000 }, 'unreachable'],
  [{ kind: 'endless' }, 'damaged'],
  [{ kind: 'redirected', to: 'https://127.0.0.1:1/' }, 'unreachable'],
];

/** Fields of a message that do not fit its file, or lead elsewhere. */
const FORGED: readonly [string, object, MediaFaultKind][] = [
  ['another hash of the file', { fileSha256: randomBytes(32) }, 'damaged'],
  ['another hash of the encrypted file', { fileEncSha256: randomBytes(32) }, 'damaged'],
  ['another key', { mediaKey: randomBytes(32) }, 'damaged'],
  ['a length that is too short', { fileLength: 20 }, 'damaged'],
  ['a length that is too long', { fileLength: FILE.length + 100 }, 'unreachable'],
  ['more than is allowed', { fileLength: LIMIT + 1 }, 'too_large'],
  ['no key', { mediaKey: null }, 'malformed'],
  ['no hash', { fileSha256: null }, 'malformed'],
  ['a path to another host', { directPath: '@127.0.0.1:1/x' }, 'malformed'],
  ['a path with a port', { directPath: ':1/x' }, 'malformed'],
  ['only an address of its own', { directPath: null, url: 'https://127.0.0.1:1/x' }, 'malformed'],
];

export function downloading(make: MakeHarness): void {
  describe('downloading', () => {
    let stage: TransportFixture;
    beforeAll(async () => {
      stage = await new TransportFixture(await make()).pair();
    });
    afterEach(() => stage.harness.network.faults.clear());
    afterAll(() => stage.end());

    async function collect(id: string, path: string | null = null): Promise<Buffer> {
      const { downloadMedia } = stage.transport.capabilities;
      if (downloadMedia === undefined) throw new Error('it does not download');
      const pieces: Uint8Array[] = [];
      const message = stage.harness.content(id);
      for await (const piece of downloadMedia(message, { limit: LIMIT, path })) {
        pieces.push(piece);
      }
      return Buffer.concat(pieces);
    }

    async function again(id: string): Promise<string> {
      const path = await stage.transport.capabilities.requestMediaAgain?.(
        stage.harness.content(id),
      );
      if (path === undefined) throw new Error('it does not request media again');
      return path;
    }

    async function faultOf(work: Promise<unknown>): Promise<MediaFaultKind> {
      const error = await work.then(
        () => null,
        (cause: unknown) => cause,
      );
      expect(error).toBeInstanceOf(MediaFault);
      return (error as MediaFault).kind;
    }

    async function arrived(content: SendableContent): Promise<string> {
      const { bob, me } = stage;
      const id = await bob.send(me, content);
      await stage.arrival(id);
      return id;
    }

    const forged = async (fields: object): Promise<string> => {
      const raw = await stage.bob.compose({ document: FILE, mimetype: 'application/pdf' });
      const documentMessage = { ...raw.documentMessage, ...fields } as NonNullable<
        RawMessage['documentMessage']
      >;
      return arrived({ raw: { documentMessage } });
    };

    test.each(KINDS)('gives the same bytes that were sent: %s', async (kind, content, media) => {
      verifies('MEDIA-IN-KINDS');
      const id = await arrived(content);
      expect((await stage.arrival(id)).media).toMatchObject({ kind, ...media });
      expect((await collect(id)).equals(FILE)).toBe(true);
    });

    test("gives the bytes of the owner's own message from the phone", async () => {
      const id = await stage.me.send(stage.bob, { image: FILE });
      await stage.arrival(id);
      expect((await collect(id)).equals(FILE)).toBe(true);
    });

    test.each([0, 1, 15, 16, 17, 65_536])('gives the same bytes of a file of %i', async (size) => {
      const file = randomBytes(size);
      const id = await arrived({ document: file, mimetype: 'application/octet-stream' });
      expect((await collect(id)).equals(file)).toBe(true);
    });

    test('reads view-once media as such', async () => {
      const id = await arrived({ image: FILE, viewOnce: true });
      expect((await stage.arrival(id)).media).toMatchObject({ kind: 'image', viewOnce: true });
    });

    test.each(FAULTS)('ends with a fault if a host is %o: %s', async (fault, kind) => {
      verifies('MEDIA-IN-VERIFIED');
      const id = await arrived({ image: FILE });
      stage.harness.network.faults.set({ mediaDownload: fault });
      expect(await faultOf(collect(id))).toBe(kind);
      stage.harness.network.faults.clear();
      expect((await collect(id)).equals(FILE)).toBe(true);
    });

    test.each(FORGED)('refuses a message with %s', async (_, fields, kind) => {
      verifies('MEDIA-IN-VERIFIED');
      const before = stage.harness.network.media.requests.length;
      const id = await forged(fields);
      expect(await faultOf(collect(id))).toBe(kind);
      const asked = stage.harness.network.media.requests.length - before;
      if (kind === 'malformed' || kind === 'too_large') expect(asked).toBe(0);
    });

    test.each([404, 410] as const)(
      'gets a file whose link answers %i from the phone',
      async (status) => {
        verifies('MEDIA-IN-AGAIN');
        const { me } = stage;
        const id = await arrived({ image: FILE });
        await eventually(() => me.messages().some((one) => one.id === id), 'the phone to have it');
        me.expireMedia(id, status);
        expect(await faultOf(collect(id))).toBe('expired');
        expect((await collect(id, await again(id))).equals(FILE)).toBe(true);
      },
    );

    test("gets the owner's own expired file from the phone", async () => {
      verifies('MEDIA-IN-AGAIN');
      const { bob, me } = stage;
      const id = await me.send(bob, { image: FILE });
      await stage.arrival(id);
      me.expireMedia(id);
      expect((await collect(id, await again(id))).equals(FILE)).toBe(true);
    });

    test('gets an expired file of a group from the phone', async () => {
      verifies('MEDIA-IN-AGAIN');
      const { bob, carol, harness, me } = stage;
      const group = harness.network.createGroup({
        subject: 'G',
        owner: bob,
        members: [me, carol],
      });
      const id = await bob.send(group, { image: FILE });
      await stage.arrival(id);
      await eventually(() => me.messages().some((one) => one.id === id), 'the phone to have it');
      me.expireMedia(id);
      expect((await collect(id, await again(id))).equals(FILE)).toBe(true);
    });

    test.each([
      ['not_found', 'not_there'],
      ['decryption_error', 'not_there'],
      ['general_error', 'not_there'],
      ['altered', 'not_there'],
      ['ignored', 'no_answer'],
    ] as const)('ends with a fault if the phone answers %s: %s', async (mediaRetry, kind) => {
      verifies('MEDIA-IN-AGAIN');
      const { harness, me } = stage;
      const id = await arrived({ image: FILE });
      await eventually(() => me.messages().some((one) => one.id === id), 'the phone to have it');
      me.expireMedia(id);
      harness.network.faults.set({ mediaRetry });
      expect(await faultOf(again(id))).toBe(kind);
    });

    test('ends with a fault while there is no connection', async () => {
      const id = await arrived({ image: FILE });
      await stage.transport.disconnect({ forget: false });
      expect(await faultOf(collect(id))).toBe('not_connected');
      expect(await faultOf(again(id))).toBe('not_connected');
      stage.transport.resume();
      await stage.reaches('connected');
      expect((await collect(id)).equals(FILE)).toBe(true);
    });
  });
}
