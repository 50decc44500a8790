// `relay approvals reject [id]`: says no, and why if one likes; the conversation's agent reads that.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { recipientOf } from './list.ts';
import { meant } from './only.ts';

export const run: Run = async ({ config, terminal, args, options }) => {
  const client = clientOf(config.home);
  const id = await meant(client, args[0]);
  const reason = typeof options.reason === 'string' ? { reason: options.reason } : {};
  const approval = await client.post('/api/approvals/{id}/reject', { path: { id }, body: reason });
  if (terminal.json) terminal.give(approval);
  else terminal.say(`Rejected: ${recipientOf(approval)}. Nothing was done.`);
  return 0;
};
