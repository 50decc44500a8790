// `relay approvals approve [id]`: says yes to exactly what was shown.
import type { Approval } from '@relay/core/api/approvals';
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { recipientOf } from './list.ts';
import { meant } from './only.ts';

const NEXT: Readonly<Record<Approval['kind'], string>> = {
  send_message: 'It leaves in its turn.',
  create_conversation: 'It begins now.',
  schedule_message: 'It leaves when its time has come.',
  cancel_schedule: 'It is cancelled.',
  manage_grant: 'It holds from now on.',
};

export const run: Run = async ({ config, terminal, args }) => {
  const client = clientOf(config.home);
  const id = await meant(client, args[0]);
  const approval = await client.post('/api/approvals/{id}/approve', { path: { id } });
  if (terminal.json) terminal.give(approval);
  else terminal.say(`Approved: ${recipientOf(approval)}. ${NEXT[approval.kind]}`);
  return 0;
};
