// `relay owners`: the people that accounts belong to, and the operators.
import type { ListedOwner } from '@relay/contract/api/accounts';
import { clientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { toOneLine } from '../format.ts';

export const listOwnersCommand: RunCommand = async ({ config, terminal }) => {
  const { owners } = await clientOf(config.home).get('/api/owners');
  if (terminal.json) terminal.writeJson(owners);
  else for (const owner of owners) terminal.writeLine(describeOwner(owner));
  return 0;
};

export const addOwnerCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const role = options.operator === true ? 'operator' : 'owner';
  const body = { name: args[0] ?? '', role } as const;
  const made = await clientOf(config.home).post('/api/owners', { body });
  if (terminal.json) {
    terminal.writeJson(made);
    return 0;
  }
  terminal.writeLine(made.token);
  terminal.note(
    `Shown only once. Give it to ${toOneLine(made.name)}, who should replace it at once:`,
  );
  terminal.note('With `POST /api/token/rotate` they get a new token that only they know.');
  return 0;
};

export const removeOwnerCommand: RunCommand = async ({ config, terminal, args }) => {
  const path = { owner: args[0] ?? '' };
  const removed = await clientOf(config.home).delete('/api/owners/{owner}', { path });
  if (terminal.json) terminal.writeJson(removed);
  else terminal.writeLine(`Removed ${toOneLine(removed.name)}. Their token no longer works.`);
  return 0;
};

function describeOwner({ name, role, accounts }: ListedOwner): string {
  if (role === 'operator') return `${toOneLine(name)}: operator, sees states and figures`;
  return `${toOneLine(name)}: ${accounts.length === 0 ? 'no accounts' : accounts.join(', ')}`;
}
