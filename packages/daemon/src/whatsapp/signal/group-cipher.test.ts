// Tests that our sender keys and Baileys' own are compatible, in order and out of order.
import {
  GroupCipher,
  GroupSessionBuilder,
  SenderKeyDistributionMessage,
  SenderKeyName,
  SenderKeyRecord,
} from '@whiskeysockets/baileys/lib/Signal/Group/index.js';
import { ProtocolAddress } from 'libsignal';
import { describe, expect, it } from 'vitest';
import {
  applyDistribution,
  encodeDistribution,
  newSenderKey,
  openGroupMessage,
  sealGroupMessage,
} from './group-cipher.ts';
import { readSenderKey, type SenderKeyStates, writeSenderKey } from './key-records.ts';

const NAME = new SenderKeyName('group', new ProtocolAddress('ann', 0));

/** Baileys' own side, with a record that it never serializes. */
function theirs() {
  const record = new SenderKeyRecord();
  const store = { loadSenderKey: async () => record, storeSenderKey: async () => undefined };
  return { builder: new GroupSessionBuilder(store), cipher: new GroupCipher(store, NAME) };
}

const texts = Array.from({ length: 12 }, (_, index) => Buffer.from(`message ${index}`));
const restored = (states: SenderKeyStates) => readSenderKey(writeSenderKey(states));

function sealAll(states: SenderKeyStates): Uint8Array[] {
  let current = states;
  return texts.map((text) => {
    const [message, advanced] = sealGroupMessage(current, text);
    current = restored(advanced);
    return message;
  });
}

describe('a group message that we encrypt', () => {
  it('is decrypted by Baileys', async () => {
    const states = newSenderKey();
    const { builder, cipher } = theirs();
    const known = new SenderKeyDistributionMessage(
      null,
      null,
      null,
      null,
      encodeDistribution(states),
    );
    await builder.process(NAME, known);
    for (const [index, message] of sealAll(states).entries()) {
      expect(Buffer.from(await cipher.decrypt(message))).toEqual(texts[index]);
    }
  });

  it('leaves no keys of sent messages in the record', () => {
    let states = newSenderKey();
    for (const text of texts) [, states] = sealGroupMessage(states, text);
    expect(states[0]?.skipped).toEqual([]);
    expect(states[0]?.chain.iteration).toBe(texts.length);
  });
});

describe('a group message that Baileys encrypts', () => {
  it('is decrypted in any order, each once, also from a stored record', async () => {
    const { builder, cipher } = theirs();
    const known = (await builder.create(NAME)).serialize();
    const messages: Uint8Array[] = [];
    for (const text of texts) messages.push(await cipher.encrypt(text));
    let states = applyDistribution([], known);
    for (const index of [5, 0, 11, 3, 10, 1, 2, 4, 9, 8, 7, 6]) {
      const message = messages[index] ?? Buffer.alloc(0);
      const [plain, advanced] = openGroupMessage(states, message);
      expect(Buffer.from(plain)).toEqual(texts[index]);
      states = restored(advanced);
      expect(() => openGroupMessage(states, message)).toThrow('old counter');
    }
  });
});

describe('a distribution message', () => {
  it('does not set a chain back when it is repeated', () => {
    const sender = newSenderKey();
    const key = encodeDistribution(sender);
    const known = applyDistribution([], key);
    const [, advanced] = openGroupMessage(known, sealAll(sender)[3] ?? Buffer.alloc(0));
    expect(applyDistribution(advanced, key)).toBe(advanced);
  });

  it('adds a new key to the old ones, five at most', () => {
    let states: SenderKeyStates = [];
    const senders = Array.from({ length: 7 }, () => newSenderKey());
    for (const sender of senders) states = applyDistribution(states, encodeDistribution(sender));
    expect(states).toHaveLength(5);
    const [message] = sealGroupMessage(senders[6] ?? [], Buffer.from('new'));
    expect(Buffer.from(openGroupMessage(states, message)[0]).toString()).toBe('new');
  });
});

describe('a message that was tampered with', () => {
  it('is refused and leaves the record as it was', () => {
    const sender = newSenderKey();
    const states = applyDistribution([], encodeDistribution(sender));
    const [message] = sealGroupMessage(sender, Buffer.from('genuine'));
    for (const at of [0, 5, message.length - 1]) {
      const forged = Buffer.from(message);
      forged.writeUInt8(forged.readUInt8(at) ^ 1, at);
      expect(() => openGroupMessage(states, forged)).toThrow();
    }
    expect(Buffer.from(openGroupMessage(states, message)[0]).toString()).toBe('genuine');
  });
});
