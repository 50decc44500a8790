// Which approval is meant: the one that was named, or the only one there is.
import { RelayError } from '@relay/core/errors';
import type { clientOf } from '../../api.ts';
import { count } from '../../format.ts';

export async function meant(
  client: ReturnType<typeof clientOf>,
  id: string | undefined,
): Promise<string> {
  if (id !== undefined) return id;
  const waiting = await client.get('/api/approvals', { query: { state: 'pending' } });
  const [only] = waiting;
  if (only === undefined) throw new RelayError('usage', { what: 'Nothing waits for you.' });
  if (waiting.length === 1) return only.id;
  throw new RelayError('usage', {
    what: `${count(waiting.length, 'approval')} wait: say which. \`relay approvals\` lists them.`,
  });
}
