// `relay hold [reason]`: stops all sending until `relay release`, also across restarts.
import { clientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';

export const holdSendingCommand: RunCommand = async ({ config, terminal, args }) => {
  const body = args.length === 0 ? {} : { reason: args.join(' ') };
  const held = await clientOf(config.home).post('/api/hold', { body });
  if (terminal.json) terminal.writeJson(held);
  else terminal.writeLine('Sending is on hold. End the hold with `relay release`.');
  return 0;
};

// `relay release`: ends the hold. Queued messages are sent, and agents continue.

export const releaseSendingCommand: RunCommand = async ({ config, terminal }) => {
  const held = await clientOf(config.home).post('/api/release');
  if (terminal.json) terminal.writeJson(held);
  else terminal.writeLine('Sending is not on hold. Queued messages will be sent.');
  return 0;
};
