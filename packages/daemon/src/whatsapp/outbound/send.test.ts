import type { MessageId } from '@relay/contract/ids';
import type { OutgoingMessage } from '@relay/core/ports/transport';
import type { WASocket } from '@whiskeysockets/baileys';
import { describe, expect, test } from 'vitest';
import { textContent } from './content.ts';
import { AckWaiters, sendOverSocket, watchEncryption } from './send.ts';

const BOB = '100000000000002@lid';
const OWN = ['15550000001', '100000000000001'];
const MESSAGE: OutgoingMessage = { id: 'A1' as MessageId, chat: BOB, text: 'hi' };

type Encrypt = (jid: string) => Promise<unknown>;

/** A socket whose relay is scripted, with the same watched encryption as the real one. */
function staged(relay: (encrypt: Encrypt) => Promise<void>) {
  const make = watchEncryption(
    () =>
      ({
        encryptMessage: async () => ({}),
        encryptGroupMessage: async () => ({}),
      }) as never,
  );
  const repository = make({} as never, {} as never);
  const encrypt: Encrypt = async (jid) => repository.encryptMessage({ jid, data: Buffer.alloc(0) });
  const acks = new AckWaiters();
  const ended = Promise.withResolvers<void>();
  const socket = { relayMessage: () => relay(encrypt) } as unknown as WASocket;
  const deps = { socket, acks, ended: ended.promise, own: OWN, ackMs: 30, relayMs: 60 };
  const taken = (error: number | null) =>
    acks.settle({ id: MESSAGE.id, chat: BOB, error, at: new Date() });
  return { deps, taken, cut: ended.resolve };
}

const never = () => new Promise<void>(() => undefined);
const boom = (statusCode: number) => Object.assign(new Error('x'), { output: { statusCode } });

describe('the content of a text', () => {
  test('quotes the message that it replies to, by its author without a device', () => {
    const quote = { id: 'Q1' as MessageId, author: '15550000002:7@s.whatsapp.net', text: 'At 8?' };
    const content = textContent({ text: 'Yes', quote }, '15550000001:3@s.whatsapp.net');
    expect(content).toEqual({
      extendedTextMessage: {
        text: 'Yes',
        contextInfo: {
          stanzaId: 'Q1',
          participant: '15550000002@s.whatsapp.net',
          quotedMessage: { conversation: 'At 8?' },
        },
      },
    });
  });

  test('names the account itself as the author of its own quoted message', () => {
    const quote = { id: 'Q1' as MessageId, author: null, text: 'At 8?' };
    const content = textContent({ text: 'Or 9', quote }, '15550000001:3@s.whatsapp.net');
    expect(content.extendedTextMessage?.contextInfo?.participant).toBe(
      '15550000001@s.whatsapp.net',
    );
  });
});

describe('the result of a send', () => {
  test('resolves when the server accepts the message', async () => {
    const { deps, taken } = staged(async (encrypt) => {
      await encrypt(BOB);
      taken(null);
    });
    await expect(sendOverSocket(MESSAGE, deps)).resolves.toBeUndefined();
  });

  test.each<[string, string, (encrypt: Encrypt) => Promise<void>]>([
    ['no ack', 'uncertain', async (encrypt) => void (await encrypt(BOB))],
    ['stuck before encrypting', 'uncertain', never],
    ['failed before encrypting', 'not_sent', () => Promise.reject(new Error('no devices'))],
    [
      'failed after encrypting',
      'uncertain',
      async (encrypt) => {
        await encrypt(BOB);
        throw new Error('write EPIPE');
      },
    ],
    [
      'found closed when it was to be written',
      'not_sent',
      async (encrypt) => {
        await encrypt(BOB);
        throw boom(428);
      },
    ],
    [
      'encrypted for ourselves alone',
      'not_sent',
      async (encrypt) => void (await encrypt('15550000001:2@s.whatsapp.net')),
    ],
  ])('%s: %s', async (_, kind, relay) => {
    await expect(sendOverSocket(MESSAGE, staged(relay).deps)).rejects.toMatchObject({ kind });
  });

  test('rejects with the code when the server refuses the message', async () => {
    const { deps, taken } = staged(async (encrypt) => {
      await encrypt(BOB);
      taken(463);
    });
    await expect(sendOverSocket(MESSAGE, deps)).rejects.toMatchObject({
      kind: 'refused',
      code: 463,
    });
  });

  test('accepts a message to ourselves that is encrypted for nobody else', async () => {
    const { deps, taken } = staged(async (encrypt) => {
      await encrypt('100000000000001@lid');
      taken(null);
    });
    const message = { ...MESSAGE, chat: '100000000000001@lid' };
    await expect(sendOverSocket(message, deps)).resolves.toBeUndefined();
  });

  test.each([
    ['before', 'not_sent', false],
    ['after', 'uncertain', true],
  ])('connection lost %s encrypting: %s', async (_, kind, encrypts) => {
    const { cut, deps } = staged(async (encrypt) => {
      if (encrypts) await encrypt(BOB);
      cut();
      return never();
    });
    await expect(sendOverSocket(MESSAGE, deps)).rejects.toMatchObject({ kind });
  });

  test('does not mix up two sends at the same time', async () => {
    const gate = Promise.withResolvers<void>();
    const first = staged(() => gate.promise.then(() => Promise.reject(new Error('early'))));
    const second = staged(async (encrypt) => {
      await encrypt(BOB);
      throw new Error('write EPIPE');
    });
    const waiting = sendOverSocket(MESSAGE, first.deps);
    await expect(sendOverSocket(MESSAGE, second.deps)).rejects.toMatchObject({ kind: 'uncertain' });
    gate.resolve();
    await expect(waiting).rejects.toMatchObject({ kind: 'not_sent' });
  });
});
