// `relay schedule cancel <id>`: nothing more comes of it, not even what is on its way.
import type { Client } from '@relay/core/client/client';
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { printable } from '../../format.ts';
import { recipientOf } from '../../schedules/words.ts';

export const run: Run = async ({ config, terminal, args }) => {
  const client = clientOf(config.home);
  const id = await meant(client, args[0] ?? '');
  const cancelled = await client.delete('/api/schedules/{id}', { path: { id } });
  if (terminal.json) terminal.give(cancelled);
  else terminal.say(`Cancelled: ${printable(cancelled.words)}, to ${recipientOf(cancelled)}.`);
  return 0;
};

const WHOLE = 36;

async function meant(client: Client, given: string): Promise<string> {
  const beginning = given.trim().toLowerCase();
  if (beginning.length >= WHOLE) return beginning;
  const all = await client.get('/api/schedules', { query: { state: 'all' } });
  const found = all.filter(({ id }) => beginning !== '' && id.startsWith(beginning));
  const [only, ...others] = found.map(({ id }) => id);
  if (only === undefined) throw new RelayError('schedule_not_found', { id: printable(given) });
  if (others.length === 0) return only;
  throw new RelayError('schedule_ambiguous', {
    id: given,
    candidates: [only, ...others].join(', '),
  });
}
