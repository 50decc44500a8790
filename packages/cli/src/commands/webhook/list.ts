// `relay webhook list`: where what happens is told, what of it, and how that goes.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { listedLines } from '../../webhooks/words.ts';

export const run: Run = async ({ config, terminal }) => {
  const { webhooks } = await clientOf(config.home).get('/api/webhooks');
  if (terminal.json) terminal.give(webhooks);
  else if (webhooks.length === 0) {
    terminal.progress('There is no webhook. `relay webhook add <url>` makes one.');
  } else {
    for (const line of listedLines(webhooks, new Date(), terminal.colours)) terminal.say(line);
  }
  return 0;
};
