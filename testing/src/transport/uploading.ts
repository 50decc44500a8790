// Transport contract for messages that are more than text: what arrives is exactly what was built, however often it is
// sent, and a file arrives byte for byte or not at all.
import { randomBytes } from 'node:crypto';
import type { SendableKind } from '@relay/contract/api/media';
import { ContentDiffers, type FileToSend, SendFault } from '@relay/core/ports/transport';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oggOpus, sha256Hex } from '../files.ts';
import { verifies } from '../verifies.ts';
import { eventually, type MakeHarness, TransportFixture } from './harness.ts';

const FILE = randomBytes(300_001);
const VOICE = oggOpus(7);

const KINDS: readonly [SendableKind, string, Buffer, object][] = [
  ['image', 'image/jpeg', FILE, { kind: 'image', mimetype: 'image/jpeg' }],
  ['video', 'video/mp4', FILE, { kind: 'video', mimetype: 'video/mp4' }],
  ['document', 'application/pdf', FILE, { kind: 'document', fileName: 'a.pdf' }],
  ['audio', 'audio/mp4', FILE, { kind: 'audio', voice: false, mimetype: 'audio/mp4' }],
  ['voice', 'audio/ogg', VOICE, { kind: 'audio', voice: true, seconds: 7 }],
  // A recording that phones cannot play as one is a file.
  ['voice', 'audio/mpeg', FILE, { kind: 'audio', voice: false, mimetype: 'audio/mpeg' }],
];

export function uploading(make: MakeHarness): void {
  describe('uploading', () => {
    let stage: TransportFixture;
    beforeAll(async () => {
      stage = await new TransportFixture(await make()).pair();
    });
    afterAll(() => stage.end());

    const shown = (id: string) =>
      eventually(() => stage.bob.shown().find((message) => message.id === id), `message ${id}`);

    test.each(KINDS)(
      'sends a file as %s (%s), byte for byte',
      async (as, mimetype, bytes, seen) => {
        verifies('MEDIA-OUT-KINDS');
        const caption = as === 'voice' || as === 'audio' ? '' : 'here';
        const id = await stage.deliver({
          chat: stage.bob.jid(),
          text: caption,
          content: fileOf(as, mimetype, bytes),
        });
        expect(await shown(id)).toMatchObject({ media: { ...seen, bytes: bytes.length } });
        expect((await stage.bob.download(id)).equals(bytes)).toBe(true);
        expect((await shown(id)).text ?? '').toBe(caption);
      },
    );

    test('quotes the message that a photo replies to', async () => {
      const asked = await stage.bob.send(stage.me, 'Which one?');
      await stage.arrival(asked);
      const id = await stage.deliver({
        chat: stage.bob.jid(),
        text: 'This one',
        content: fileOf('image', 'image/jpeg', FILE),
        quote: { ...target(asked, stage.bob.jid()), text: 'Which one?' },
      });
      expect(await shown(id)).toMatchObject({ quoted: asked, text: 'This one' });
    });

    test('reacts to a message and takes the reaction back', async () => {
      verifies('MEDIA-OUT-TYPED');
      const asked = await stage.bob.send(stage.me, 'Coming?');
      await stage.arrival(asked);
      const react = (emoji: string) =>
        stage.deliver({
          chat: stage.bob.jid(),
          content: { kind: 'reaction', emoji, target: target(asked, stage.bob.jid()) },
        });
      const reactions = async () => Object.values((await shown(asked)).reactions);
      await react('👍');
      await eventually(async () => (await reactions())[0] === '👍', 'the reaction');
      await react('');
      await eventually(async () => (await reactions()).length === 0, 'no reaction');
    });

    test('edits and deletes its own message', async () => {
      verifies('MEDIA-OUT-TYPED');
      const id = await stage.send(stage.bob.jid(), 'At 8?');
      await shown(id);
      const own = { chat: stage.bob.jid(), content: { kind: 'edit', target: target(id) } } as const;
      await stage.deliver({ ...own, text: 'At 9?' });
      await eventually(() => find(id)?.edited, 'the edit');
      expect((await shown(id)).text).toBe('At 9?');
      await stage.deliver({ ...own, content: { kind: 'delete', target: target(id) } });
      await eventually(() => find(id)?.deleted, 'the deletion');
    });

    test('sends a poll and a location', async () => {
      verifies('MEDIA-OUT-TYPED');
      const poll = {
        kind: 'poll',
        question: 'When?',
        options: ['Monday', 'Tuesday'],
        select_up_to: 1,
      } as const;
      const asked = await stage.deliver({
        chat: stage.bob.jid(),
        content: { ...poll, options: [...poll.options] },
      });
      expect(await shown(asked)).toMatchObject({
        poll: { question: 'When?', options: ['Monday', 'Tuesday'], selectable: 1 },
      });
      const place = { latitude: 52.52, longitude: 13.405, name: 'Café', address: 'Torstraße 1' };
      const sent = await stage.deliver({
        chat: stage.bob.jid(),
        content: { kind: 'location', ...place },
      });
      expect(await shown(sent)).toMatchObject({ location: place });
    });

    test('sends nothing of a file that differs from the one that was allowed', async () => {
      verifies('MEDIA-OUT-BOUND');
      const { media } = stage.harness.network;
      const before = media.size;
      const altered = { ...fileOf('image', 'image/jpeg', FILE), sha256: sha256Hex(VOICE) };
      const longer = { ...fileOf('image', 'image/jpeg', FILE), bytes: FILE.length - 1 };
      for (const content of [altered, longer]) {
        const sent = stage.deliver({ chat: stage.bob.jid(), content });
        await expect(sent).rejects.toBeInstanceOf(ContentDiffers);
      }
      expect(media.size).toBe(before);
    });

    test('reports not_sent for an upload that fails, and can build it again', async () => {
      const { bob, harness } = stage;
      harness.network.faults.set({ mediaUpload: { kind: 'status', status: 500 } });
      const message = { chat: bob.jid(), content: fileOf('document', 'text/plain', FILE) };
      const fault = await stage.deliver(message).catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(SendFault);
      expect(fault).toMatchObject({ kind: 'not_sent' });
      harness.network.faults.clear();
      await shown(await stage.deliver(message));
    });

    test('sends the same bytes to a device that asks again', async () => {
      verifies('MEDIA-OUT-ONCE');
      const { bob } = stage;
      await shown(await stage.send(bob.jid(), 'before'));
      await bob.loseSessions();
      bob.switchOff();
      const content = fileOf('image', 'image/jpeg', FILE);
      const id = await stage.deliver({ chat: bob.jid(), content });
      const uploads = stage.harness.network.media.size;
      // Requested only now, from a process that never sent it.
      await stage.restart();
      bob.switchOn();
      stage.transport.connect();
      await stage.reaches('connected');
      await eventually(() => find(id)?.media, 'the photo');
      expect((await bob.download(id)).equals(FILE)).toBe(true);
      expect(stage.harness.network.media.size).toBe(uploads);
    });

    const find = (id: string) => stage.bob.shown().find((message) => message.id === id);
  });
}

const target = (id: string, author: string | null = null) => ({ id: id as never, author });

function fileOf(as: SendableKind, mimetype: string, bytes: Buffer): FileToSend {
  return {
    kind: 'media',
    as,
    mimetype,
    sha256: sha256Hex(bytes),
    bytes: bytes.length,
    file_name: 'a.pdf',
    open: async function* () {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
    },
  };
}
