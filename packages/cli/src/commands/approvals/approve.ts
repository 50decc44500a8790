// `relay approvals approve [id]`: says yes to exactly what was shown.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { recipientOf } from './list.ts';
import { meant } from './only.ts';

export const run: Run = async ({ config, terminal, args }) => {
  const client = clientOf(config.home);
  const id = await meant(client, args[0]);
  const approval = await client.post('/api/approvals/{id}/approve', { path: { id } });
  if (terminal.json) terminal.give(approval);
  else terminal.say(`Approved: ${recipientOf(approval)}. It leaves in its turn.`);
  return 0;
};
