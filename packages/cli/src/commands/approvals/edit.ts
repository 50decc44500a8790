// `relay approvals edit <id> <text>`: other words for what waits. Nothing is sent: they are shown, and wait for a yes
// of their own.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { describe } from './list.ts';

export const run: Run = async ({ config, terminal, args }) => {
  const [id = '', ...words] = args;
  const approval = await clientOf(config.home).post('/api/approvals/{id}/edit', {
    path: { id },
    body: { text: words.join(' ') },
  });
  if (terminal.json) terminal.give(approval);
  else for (const line of describe([approval], terminal.colours, new Date())) terminal.say(line);
  return 0;
};
