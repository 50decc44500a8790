import { expect, test } from 'vitest';
import { readGroupMessage } from './message.ts';

test.each([
  ['conversation', 'Dinner at 8', {}, 'text', 'Dinner at 8'],
  // Typed by the sender.
  ['extendedTextMessage', '[Image] see above', {}, 'text', '[Image] see above'],
  ['imageMessage', '[Image]', {}, 'image', ''],
  ['imageMessage', '[Image] the menu', {}, 'image', 'the menu'],
  ['imageMessage', '📷 Photo', {}, 'image', '📷 Photo'],
  ['videoMessage', '[Video] the speech', {}, 'video', 'the speech'],
  ['ptvMessage', '[ptvMessage]', {}, 'video', ''],
  ['documentMessage', '[Document] menu.pdf', { words: 'final!' }, 'document', 'menu.pdf\nfinal!'],
  ['audioMessage', '[Audio message]', {}, 'audio', ''],
  ['stickerMessage', '[Sticker]', {}, 'sticker', ''],
  ['reactionMessage', '[reactionMessage]', { words: '👍' }, 'reaction', '👍'],
  ['reactionMessage', '[reactionMessage]', { words: '' }, 'reaction', ''],
  [
    'pollCreationMessageV3',
    '[pollCreationMessageV3]',
    { words: 'When?\n- Sat' },
    'poll',
    'When?\n- Sat',
  ],
  ['contactMessage', '[contactMessage]', { words: 'Plumber' }, 'contact', 'Plumber'],
  ['locationMessage', '[locationMessage]', { words: 'Hotel Sol' }, 'location', 'Hotel Sol'],
  ['protocolMessage', '[protocolMessage]', {}, 'deleted', ''],
  ['pinInChatMessage', '[pinInChatMessage]', {}, 'system', ''],
  ['constructor', '[constructor]', {}, 'system', ''],
])('reads %s %j as intended', (kind, body, details, as, text) => {
  expect(readGroupMessage({ kind, body, details })).toEqual({ kind: as, text });
});
