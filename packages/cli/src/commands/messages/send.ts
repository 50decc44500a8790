// `relay messages send <to> <text>`: writes to somebody as the owner. Stored when it returns; it leaves in
// its turn.

import { RelayError } from '@relay/core/errors';
import type { OutboxState } from '@relay/core/outbox/progress';
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { printable } from '../../format.ts';

const SENTENCES: Readonly<Record<OutboxState, string>> = {
  pending: 'Stored. It leaves in its turn; `relay messages` shows it then.',
  sent: 'Sent.',
  delivered: 'Delivered.',
  read: 'Delivered and read.',
  failed: 'It could not be sent. `relay logs` says why.',
  unknown: 'It may or may not have left; its receipt will tell. It is not sent again.',
};

export const run: Run = async ({ config, terminal, args, options }) => {
  const [to = '', text = ''] = args;
  if (text.trim() === '') throw new RelayError('usage', { what: 'The text is empty.' });
  const key = typeof options.key === 'string' ? { 'idempotency-key': options.key } : {};
  const sent = await clientOf(config.home).post('/api/whatsapp/messages', {
    body: { to, text },
    header: key,
  });
  if (terminal.json) terminal.give(sent);
  else terminal.say(`${SENTENCES[sent.state]} (${printable(sent.messageId)})`);
  return sent.success ? 0 : 1;
};
