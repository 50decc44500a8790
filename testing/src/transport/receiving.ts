// Transport contract for receiving: every message, from anybody, in any chat, exactly once.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import {
  eventually,
  type MakeHarness,
  pause,
  type RawMessage,
  TransportFixture,
} from './harness.ts';

const CONTENT: readonly [string, string, RawMessage, () => void][] = [
  ['conversation', 'hello', { conversation: 'hello' }, () => verifies('000-NORM-CONVERSATION')],
  [
    'extendedTextMessage',
    'x',
    { extendedTextMessage: { text: 'x' } },
    () => verifies('000-NORM-EXTENDED'),
  ],
  [
    'imageMessage',
    '[Image] cat',
    { imageMessage: { caption: 'cat' } },
    () => verifies('000-NORM-IMAGE'),
  ],
  ['videoMessage', '[Video]', { videoMessage: {} }, () => verifies('000-NORM-VIDEO')],
  [
    'documentMessage',
    '[Document] a.pdf',
    { documentMessage: { fileName: 'a.pdf' } },
    () => verifies('000-NORM-DOCUMENT'),
  ],
  ['audioMessage', '[Audio message]', { audioMessage: {} }, () => verifies('000-NORM-AUDIO')],
  ['stickerMessage', '[Sticker]', { stickerMessage: {} }, () => verifies('000-NORM-STICKER')],
  [
    'locationMessage',
    '[locationMessage]',
    { locationMessage: {} },
    () => verifies('000-NORM-OTHER'),
  ],
];

export function receiving(make: MakeHarness): void {
  describe('receiving', () => {
    let stage: TransportFixture;
    beforeAll(async () => {
      stage = await new TransportFixture(await make()).pair();
    });
    afterEach(() => stage.harness.network.faults.clear());
    afterAll(() => stage.end());

    test.each(['lid', 'pn'] as const)('receives from a person, named by %s', async (addressing) => {
      const { bob, me } = stage;
      const id = await bob.send(me, 'direct', { addressing });
      const message = await stage.arrival(id);
      expect(message).toMatchObject({
        chat: bob.jid(addressing),
        sender: bob.jid(addressing),
        fromMe: false,
        isGroup: false,
        pushName: 'Bob',
        body: 'direct',
        late: false,
      });
      expect([...message.alsoKnownAs].sort()).toEqual([bob.jid('pn'), bob.jid('lid')].sort());
      await eventually(() => stage.harness.hints() > 0, 'the hint');
    });

    test.each(['lid', 'pn'] as const)('receives from a group member, named by %s', async (mode) => {
      const { bob, carol, harness, me } = stage;
      const members = [me, carol];
      const group = harness.network.createGroup({
        subject: 'G',
        owner: bob,
        members,
        addressing: mode,
      });
      const message = await stage.arrival(await bob.send(group, 'to all'));
      expect(message).toMatchObject({
        chat: group.jid,
        sender: bob.jid(mode),
        isGroup: true,
        fromMe: false,
        body: 'to all',
      });
      expect([...message.alsoKnownAs].sort()).toEqual([bob.jid('pn'), bob.jid('lid')].sort());
    });

    test("receives the owner's message from the phone to a person", async () => {
      const { bob, me } = stage;
      const message = await stage.arrival(await me.send(bob, 'mine'));
      expect(message).toMatchObject({
        chat: bob.jid(),
        sender: me.jid(),
        fromMe: true,
        body: 'mine',
      });
      expect(message.alsoKnownAs).toContain(bob.jid());
    });

    test("receives the owner's message from the phone to a group", async () => {
      const { bob, harness, me } = stage;
      const group = harness.network.createGroup({ subject: 'H', owner: bob, members: [me] });
      const message = await stage.arrival(await me.send(group, 'mine too'));
      expect(message).toMatchObject({ chat: group.jid, isGroup: true, fromMe: true });
    });

    test.each(CONTENT)('receives %s: %s', async (kind, body, raw, cite) => {
      cite();
      const { bob, me } = stage;
      expect(await stage.arrival(await bob.send(me, { raw }))).toMatchObject({ kind, body });
    });

    test('names the message that a reaction refers to', async () => {
      const { bob, me } = stage;
      const target = await me.send(bob, 'react to me');
      await eventually(() => bob.messages().some(({ id }) => id === target), 'bob to see it');
      const message = await stage.arrival(await bob.react(me, target, '👍'));
      expect(message).toMatchObject({ kind: 'reactionMessage', quotedId: target });
    });

    test('requests a message again that could not be decrypted, and receives it once', async () => {
      const { bob, me } = stage;
      const id = await bob.send(me, 'broken at first', { corrupt: true });
      expect(await stage.arrival(id)).toMatchObject({ body: 'broken at first' });
      expect(stage.link.health.undecryptable).toBeGreaterThan(0);
    });

    test('stores a message once when it is delivered twice', async () => {
      const { bob, harness, me } = stage;
      harness.network.faults.set({ duplicateDeliveries: true });
      const id = await bob.send(me, 'twice');
      await stage.arrival(id);
      await eventually(() => me.companions.get(1)?.pending.length === 0, 'both to be confirmed');
      expect(harness.received().filter((message) => message.id === id)).toHaveLength(1);
    });

    test('has stored every message that the server has a receipt for', async () => {
      const { bob, harness, me } = stage;
      const id = await bob.send(me, 'confirmed');
      const waits = () => me.companions.get(1)?.pending.some(({ attrs }) => attrs.id === id);
      await eventually(() => !waits(), 'the receipt');
      expect(harness.received().some((message) => message.id === id)).toBe(true);
    });

    test('keeps the order of many messages at once', async () => {
      const { bob, harness, me } = stage;
      const ids: string[] = [];
      for (let i = 0; i < 50; i += 1) ids.push(await bob.send(me, `burst ${i}`));
      await stage.arrival(ids.at(-1) ?? '');
      const arrived = harness.received().filter(({ body }) => body.startsWith('burst'));
      expect(arrived.map(({ id }) => id)).toEqual(ids);
    });

    test('never shows the account as online', async () => {
      const { harness } = stage;
      const presences = harness.network.stanzas.filter(
        ({ direction, stanza }) => direction === 'in' && stanza.tag === 'presence',
      );
      expect(presences.map(({ stanza }) => stanza.attrs.type)).not.toContain('available');
      expect(presences.some(({ stanza }) => stanza.attrs.type === 'unavailable')).toBe(true);
    });

    test('does not treat history from before the link as messages', async () => {
      const other = new TransportFixture(await make());
      await other.bob.send(other.me, 'long ago');
      await other.pair();
      await pause(100);
      expect(other.harness.received()).toEqual([]);
      await other.end();
    });
  });
}
