import { verifies } from '@relay/testing/verifies';
import { proto } from '@whiskeysockets/baileys';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { readInboxRow, UnreadableMessage } from './read-message.ts';

const numRuns = Number(process.env.PROPERTY_RUNS ?? 500);
vi.setConfig({ testTimeout: 60_000 + 20 * numRuns });

const OWN = ['15550000001:3@s.whatsapp.net', '100000000000001:3@lid'];
const BOB = '15550000002@s.whatsapp.net';
const BOB_LID = '100000000000002@lid';
const GROUP = '120363000000000001@g.us';

const attrs = (more: Record<string, unknown> = {}) =>
  Buffer.from(
    JSON.stringify({ id: 'ID1', from: BOB, t: '1700000000', notify: 'Bob', own: OWN, ...more }),
  );
const bytes = (message: proto.IMessage) => proto.Message.encode(message).finish();
const read = (message: proto.IMessage, more: Record<string, unknown> = {}) =>
  readInboxRow(attrs(more), bytes(message));
const said = (message: proto.IMessage) => {
  const found = read(message);
  return found && { kind: found.kind, body: found.body };
};

describe('the text of a message', () => {
  const table: [string, string, proto.IMessage, () => void][] = [
    ['conversation', 'hello', { conversation: 'hello' }, () => verifies('000-NORM-CONVERSATION')],
    [
      'extendedTextMessage',
      'see',
      { extendedTextMessage: { text: 'see' } },
      () => verifies('000-NORM-EXTENDED'),
    ],
    [
      'imageMessage',
      '[Image] a cat',
      { imageMessage: { caption: 'a cat' } },
      () => verifies('000-NORM-IMAGE'),
    ],
    ['imageMessage', '[Image]', { imageMessage: {} }, () => verifies('000-NORM-IMAGE')],
    [
      'videoMessage',
      '[Video] a dog',
      { videoMessage: { caption: 'a dog' } },
      () => verifies('000-NORM-VIDEO'),
    ],
    [
      'videoMessage',
      '[Video]',
      { videoMessage: { caption: '' } },
      () => verifies('000-NORM-VIDEO'),
    ],
    [
      'documentMessage',
      '[Document] bill.pdf',
      { documentMessage: { fileName: 'bill.pdf', caption: 'here' } },
      () => verifies('000-NORM-DOCUMENT'),
    ],
    ['documentMessage', '[Document]', { documentMessage: {} }, () => verifies('000-NORM-DOCUMENT')],
    [
      'audioMessage',
      '[Audio message]',
      { audioMessage: { ptt: true } },
      () => verifies('000-NORM-AUDIO'),
    ],
    ['stickerMessage', '[Sticker]', { stickerMessage: {} }, () => verifies('000-NORM-STICKER')],
    [
      'locationMessage',
      '[locationMessage]',
      { locationMessage: {} },
      () => verifies('000-NORM-OTHER'),
    ],
    [
      'contactMessage',
      '[contactMessage]',
      { contactMessage: {} },
      () => verifies('000-NORM-OTHER'),
    ],
    [
      'reactionMessage',
      '[reactionMessage]',
      { reactionMessage: { key: { id: 'X' }, text: '👍' } },
      () => verifies('000-NORM-OTHER'),
    ],
    [
      'pollCreationMessageV3',
      '[pollCreationMessageV3]',
      { pollCreationMessageV3: {} },
      () => verifies('000-NORM-OTHER'),
    ],
    [
      'protocolMessage',
      '[protocolMessage]',
      { protocolMessage: { type: 0 } },
      () => verifies('000-NORM-OTHER'),
    ],
  ];
  test.each(table)('%s: %s', (kind, body, message, cite) => {
    cite();
    expect(said(message)).toEqual({ kind, body });
  });

  test.each<[string, (inner: proto.IMessage) => proto.IMessage]>([
    ['ephemeral', (message) => ({ ephemeralMessage: { message } })],
    ['view once', (message) => ({ viewOnceMessage: { message } })],
    ['view once, second form', (message) => ({ viewOnceMessageV2: { message } })],
    ['document with caption', (message) => ({ documentWithCaptionMessage: { message } })],
    ['edited', (message) => ({ editedMessage: { message } })],
    [
      'ephemeral view once',
      (message) => ({ ephemeralMessage: { message: { viewOnceMessageV2: { message } } } }),
    ],
    [
      'from a device of the account',
      (message) => ({ deviceSentMessage: { destinationJid: BOB, message } }),
    ],
  ])('unwraps a message: %s', (_, wrap) => {
    expect(said(wrap({ imageMessage: { caption: 'inside' } }))).toEqual({
      kind: 'imageMessage',
      body: '[Image] inside',
    });
  });

  test('reads the new text of an edit and the id of the edited message', () => {
    const message = {
      protocolMessage: { type: 14, key: { id: 'OLD' }, editedMessage: { conversation: 'better' } },
    };
    expect(read({ editedMessage: { message } })).toMatchObject({
      kind: 'conversation',
      body: 'better',
      quotedId: 'OLD',
    });
  });

  test('reads a message that comes with a sender key, and ignores the key', () => {
    const senderKeyDistributionMessage = { groupId: GROUP };
    expect(said({ senderKeyDistributionMessage, conversation: 'hi' })).toEqual({
      kind: 'conversation',
      body: 'hi',
    });
  });

  test.each<[string, proto.IMessage]>([
    ['nothing', {}],
    ['a sender key', { senderKeyDistributionMessage: { groupId: GROUP } }],
    ['context alone', { messageContextInfo: { messageSecret: Buffer.alloc(32) } }],
    ['a setting of the chat', { protocolMessage: { type: 3 } }],
    ['keys of the app state', { protocolMessage: { type: 6 } }],
  ])('returns null for what is no message: %s', (_, message) => {
    expect(read(message)).toBeNull();
  });

  test('names a content type that this version does not know instead of dropping it', () => {
    const field4000 = Buffer.from([0x82, 0xfa, 0x01, 0x02, 0x68, 0x69]);
    expect(readInboxRow(attrs(), field4000)).toMatchObject({ kind: 'unknown', body: '[unknown]' });
  });
});

describe('facts besides the text', () => {
  test('reads the quoted message and the timer', () => {
    const contextInfo = { stanzaId: 'Q1', participant: BOB, expiration: 86_400 };
    expect(read({ extendedTextMessage: { text: 'yes', contextInfo } })).toMatchObject({
      quotedId: 'Q1',
      expiresAfterS: 86_400,
    });
    expect(read({ conversation: 'x' })).toMatchObject({ quotedId: null, expiresAfterS: null });
  });

  test('reads what is known about a file', () => {
    const documentMessage = { mimetype: 'application/pdf', fileName: 'a.pdf', fileLength: 1234 };
    expect(read({ documentMessage })?.media).toEqual({
      mimeType: 'application/pdf',
      fileName: 'a.pdf',
      size: 1234,
      seconds: null,
      kind: 'document',
    });
    const audioMessage = { mimetype: 'audio/ogg', seconds: 7 };
    expect(read({ audioMessage })?.media).toMatchObject({ mimeType: 'audio/ogg', seconds: 7 });
    expect(read({ conversation: 'x' })?.media).toBeNull();
  });

  test('reads id, profile name, time and whether the message waited at the server', () => {
    expect(read({ conversation: 'x' })).toMatchObject({
      id: 'ID1',
      pushName: 'Bob',
      sentAt: new Date(1_700_000_000_000),
      late: false,
    });
    expect(read({ conversation: 'x' }, { offline: '3' })?.late).toBe(true);
    expect(read({ conversation: 'x' }, { notify: undefined })?.pushName).toBeNull();
  });
});

describe('sender and chat', () => {
  const text = { conversation: 'x' };

  test('reads a message from a person by number', () => {
    const from = '15550000002:12@s.whatsapp.net';
    expect(read(text, { from, sender_lid: BOB_LID })).toMatchObject({
      chat: BOB,
      sender: BOB,
      isGroup: false,
      fromMe: false,
      alsoKnownAs: [BOB, BOB_LID],
    });
  });

  test('reads a message from a person by LID', () => {
    expect(read(text, { from: BOB_LID, sender_pn: BOB, addressing_mode: 'lid' })).toMatchObject({
      chat: BOB_LID,
      sender: BOB_LID,
      alsoKnownAs: [BOB_LID, BOB],
    });
  });

  test('reads a group message', () => {
    const names = { from: GROUP, participant: '100000000000002:1@lid', participant_pn: BOB };
    expect(read(text, names)).toMatchObject({
      chat: GROUP,
      isGroup: true,
      sender: BOB_LID,
      fromMe: false,
      alsoKnownAs: [BOB_LID, BOB],
    });
  });

  test('reads a group message from a device of the account', () => {
    expect(read(text, { from: GROUP, participant: '100000000000001@lid' })).toMatchObject({
      chat: GROUP,
      fromMe: true,
    });
  });

  test('reads a message from the account’s phone to a person', () => {
    const message = { deviceSentMessage: { destinationJid: BOB_LID, message: text } };
    const names = { from: '100000000000001@lid', recipient: BOB_LID, peer_recipient_pn: BOB };
    expect(read(message, names)).toMatchObject({
      chat: BOB_LID,
      sender: '100000000000001@lid',
      fromMe: true,
      alsoKnownAs: [BOB_LID, BOB],
    });
  });

  test('reads a message from the account to itself', () => {
    const me = '15550000001@s.whatsapp.net';
    const message = { deviceSentMessage: { destinationJid: me, message: text } };
    expect(read(message, { from: me, recipient: me })).toMatchObject({ chat: me, fromMe: true });
  });

  test('does not accept a stranger’s message as one of the account', () => {
    const message = { deviceSentMessage: { destinationJid: BOB_LID, message: text } };
    const from = '15550000009@s.whatsapp.net';
    expect(read(message, { from })).toMatchObject({ chat: from, sender: from, fromMe: false });
  });

  test.each(['status@broadcast', '120363000000000009@newsletter'])('ignores %s', (from) => {
    expect(read(text, { from, participant: BOB })).toBeNull();
  });
});

describe('bytes that are not a message', () => {
  const wrapped = (times: number): proto.IMessage =>
    times === 0 ? { conversation: 'x' } : { ephemeralMessage: { message: wrapped(times - 1) } };

  test.each<[string, Uint8Array, Uint8Array]>([
    ['no JSON', Buffer.from('{'), bytes({ conversation: 'x' })],
    ['no id', attrs({ id: undefined }), bytes({ conversation: 'x' })],
    ['no time', attrs({ t: 'soon' }), bytes({ conversation: 'x' })],
    ['no address', attrs({ from: 'nowhere' }), bytes({ conversation: 'x' })],
    ['a group without a sender', attrs({ from: GROUP }), bytes({ conversation: 'x' })],
    ['a stanza too large', attrs({ notify: 'x'.repeat(70_000) }), bytes({ conversation: 'x' })],
    ['no protobuf', attrs(), Buffer.from([0x0a, 0xff])],
    ['a message too large', attrs(), bytes({ conversation: 'x'.repeat(1_100_000) })],
    ['wrapped too often', attrs(), bytes(wrapped(20))],
  ])('%s', (_, stanza, content) => {
    expect(() => readInboxRow(stanza, content)).toThrow(UnreadableMessage);
  });

  test('replaces characters in the text that no store accepts', () => {
    expect(read({ conversation: 'a\0b' })?.body).toBe('a\uFFFDb');
    const halves = Buffer.from([0x0a, 0x03, 0xed, 0xa0, 0x80]);
    const body = readInboxRow(attrs(), halves)?.body;
    expect(body?.isWellFormed()).toBe(true);
  });

  test('returns a valid message or null or throws UnreadableMessage, whatever the bytes', () => {
    const anyAttrs = fc.oneof(
      fc.constant(attrs()),
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .record({
          from: fc.string(),
          t: fc.string(),
          participant: fc.string(),
          notify: fc.string(),
        })
        .map((more) => attrs(more)),
    );
    const anyContent = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc.tuple(fc.string(), fc.nat(12)).map(([conversation, depth]) => {
        let message: proto.IMessage = { conversation };
        for (let i = 0; i < depth; i += 1) message = { ephemeralMessage: { message } };
        return bytes(message);
      }),
      fc.tuple(fc.string(), fc.nat(), fc.nat(255)).map(([conversation, at, value]) => {
        const whole = Buffer.from(bytes({ extendedTextMessage: { text: conversation } }));
        whole[at % whole.length] = value;
        return whole;
      }),
    );
    fc.assert(
      fc.property(anyAttrs, anyContent, (stanza, content) => {
        try {
          const message = readInboxRow(stanza, content);
          if (message === null) return;
          expect(message.body.isWellFormed()).toBe(true);
          expect(message.body).not.toContain('\0');
          expect(message.id.length).toBeGreaterThan(0);
          expect(message.sentAt.getTime()).not.toBeNaN();
          expect(message.fromMe).toBe(false);
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableMessage);
        }
      }),
      { numRuns },
    );
  });

  test('rejects an endlessly nested message without crashing', () => {
    expect(() => readInboxRow(attrs(), deeplyNested(20_000))).toThrow(UnreadableMessage);
  });
});

/** ephemeralMessage (field 40) around message (field 1), built from the inside out. */
function deeplyNested(times: number): Uint8Array {
  const pieces: Buffer[] = [];
  let length = 0;
  for (let i = 0; i < times; i += 1) {
    for (const tag of [[0x0a], [0xc2, 0x02]]) {
      const head = Buffer.from([...tag, ...varint(length)]);
      pieces.unshift(head);
      length += head.length;
    }
  }
  return Buffer.concat(pieces);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest >>>= 7;
  }
  return [...bytes, rest];
}

describe('typed content', () => {
  const content = (message: proto.IMessage) => read(message)?.details?.content ?? null;
  const key = { remoteJid: BOB, id: 'TARGET' };
  const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;
  const vcard = (more: string) => `BEGIN:VCARD\nVERSION:3.0\nFN:Dan\n${more}\nEND:VCARD`;
  const place = { degreesLatitude: 52.5, degreesLongitude: 13.25, name: 'Gate', address: 'Berlin' };
  const poll = {
    name: 'What to eat?',
    options: [{ optionName: 'Pizza' }, { optionName: 'Sushi' }],
    selectableOptionsCount: 1,
  };
  const cases: [string, proto.IMessage, object][] = [
    [
      'a location',
      { locationMessage: place },
      {
        kind: 'location',
        latitude: 52.5,
        longitude: 13.25,
        name: 'Gate',
        address: 'Berlin',
        live: false,
      },
    ],
    [
      'a live location',
      { liveLocationMessage: { degreesLatitude: -1, degreesLongitude: 2, caption: 'here' } },
      { kind: 'location', latitude: -1, longitude: 2, name: null, address: null, live: true },
    ],
    [
      'a contact',
      {
        contactMessage: {
          displayName: 'Dan',
          vcard: vcard('item1.TEL;waid=4915:+49 15\nTEL:0800 1'),
        },
      },
      { kind: 'contacts', contacts: [{ name: 'Dan', phone_numbers: ['+49 15', '0800 1'] }] },
    ],
    [
      'several contacts',
      { contactsArrayMessage: { contacts: [{ vcard: vcard('') }, { displayName: 'Eva' }] } },
      {
        kind: 'contacts',
        contacts: [
          { name: 'Dan', phone_numbers: [] },
          { name: 'Eva', phone_numbers: [] },
        ],
      },
    ],
    [
      'a poll',
      { pollCreationMessageV3: poll },
      {
        kind: 'poll',
        question: 'What to eat?',
        options: ['Pizza', 'Sushi'],
        select_up_to: 1,
      },
    ],
    [
      'a vote',
      { pollUpdateMessage: { pollCreationMessageKey: key } },
      { kind: 'vote', poll: 'TARGET' },
    ],
    [
      'a reaction',
      { reactionMessage: { key, text: '👍' } },
      { kind: 'reaction', to: 'TARGET', emoji: '👍' },
    ],
    [
      'a reaction that was taken back',
      { reactionMessage: { key, text: '' } },
      { kind: 'reaction', to: 'TARGET', emoji: '' },
    ],
    ['a deletion', { protocolMessage: { type: REVOKE, key } }, { kind: 'delete', of: 'TARGET' }],
    [
      'an edit',
      { protocolMessage: { type: MESSAGE_EDIT, key, editedMessage: { conversation: 'better' } } },
      { kind: 'edit', of: 'TARGET' },
    ],
    [
      'a view-once photo',
      { viewOnceMessageV2: { message: { imageMessage: { mimetype: 'image/jpeg' } } } },
      { kind: 'view_once' },
    ],
    [
      'a view-once voice message without a wrapper',
      { audioMessage: { mimetype: 'audio/ogg', viewOnce: true } },
      { kind: 'view_once' },
    ],
  ];

  test.each(cases)('of %s', (_, message, expected) => {
    verifies('MEDIA-TYPED');
    expect(content(message)).toEqual(expected);
  });

  test('is missing where a message is only text, a file, or malformed', () => {
    expect(content({ conversation: 'hello' })).toBeNull();
    expect(content({ imageMessage: { mimetype: 'image/jpeg' } })).toBeNull();
    expect(content({ locationMessage: { degreesLatitude: 91, degreesLongitude: 0 } })).toBeNull();
    expect(content({ locationMessage: { degreesLatitude: Number.NaN } })).toBeNull();
    expect(content({ reactionMessage: { text: '👍' } })).toBeNull();
  });

  test('is bounded, whatever a stranger put into it', () => {
    const long = 'x'.repeat(100_000);
    const many = <T>(one: T) => Array.from({ length: 500 }, () => one);
    const name = long.slice(0, 600);
    const numbers = Array.from({ length: 15 }, () => `TEL:${long.slice(0, 70)}`);
    const card = { displayName: name, vcard: vcard(numbers.join('\n')) };
    const all = [
      content({ contactsArrayMessage: { contacts: many(card) } }),
      content({ pollCreationMessage: { name: long, options: many({ optionName: name }) } }),
      content({ reactionMessage: { key: { id: long }, text: long } }),
      content({ locationMessage: { ...place, name: long, address: long } }),
    ];
    for (const one of all) {
      expect(one).not.toBeNull();
      expect(JSON.stringify(one).length).toBeLessThan(120_000);
    }
  });
});
