import type { WASocket } from '@whiskeysockets/baileys';
import { expect, test } from 'vitest';
import { silenceObservedGroups } from '../socket.ts';

const [OBSERVED, OTHER, BOB] = ['1@g.us', '2@g.us', '3@s.whatsapp.net'];

function quiet(isSilent = async (chat: string) => chat === OBSERVED) {
  const left: unknown[][] = [];
  const leaves =
    (name: string) =>
    async (...given: unknown[]) => {
      left.push([name, ...given]);
    };
  const names = [
    ...['sendPresenceUpdate', 'presenceSubscribe', 'readMessages', 'sendReceipt', 'sendReceipts'],
    ...['sendMessage', 'relayMessage'],
  ];
  const socket = Object.fromEntries(names.map((name) => [name, leaves(name)]));
  return { left, socket: silenceObservedGroups(socket as unknown as WASocket, isSilent) };
}

async function showsItself(socket: WASocket, chat: string): Promise<void> {
  const keys = [{ remoteJid: chat, id: 'A' }];
  await socket.sendPresenceUpdate('composing', chat);
  await socket.sendPresenceUpdate('paused', chat);
  await socket.presenceSubscribe(chat);
  await socket.readMessages(keys);
  await socket.sendReceipt(chat, undefined, ['A'], 'read');
  await socket.sendReceipts(keys, 'played');
  await socket.sendMessage(chat, { text: 'hello' });
}

test('shows no presence, receipts or reactions in an observed group, whoever asks for it', async () => {
  const { socket, left } = quiet();
  await showsItself(socket, OBSERVED);
  const reaction = { reactionMessage: { text: '👍' } };
  await expect(socket.relayMessage(OBSERVED, reaction, {})).rejects.toThrow(
    'no reactions or other marks',
  );
  expect(left).toEqual([]);
});

test('sends a permitted message to an observed group', async () => {
  const { socket, left } = quiet();
  await socket.relayMessage(OBSERVED, { conversation: 'At eight.' }, { messageId: 'A' });
  expect(left).toHaveLength(1);
});

test.each([OTHER, BOB])('changes nothing in %s', async (chat) => {
  const { socket, left } = quiet();
  await showsItself(socket, chat);
  await socket.relayMessage(chat, { reactionMessage: { text: '👍' } }, {});
  expect(left).toHaveLength(8);
});

test('treats a group as observed if the lookup fails', async () => {
  const { socket, left } = quiet(() => Promise.reject(new Error('the database is away')));
  await showsItself(socket, OTHER);
  expect(left).toEqual([]);
});
