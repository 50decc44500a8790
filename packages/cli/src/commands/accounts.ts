// `relay accounts`: lists, adds, renames and removes accounts, and chooses the default one.
import type { ListedAccount } from '@relay/contract/api/accounts';
import { clientOf } from '../api.ts';
import { chooseAccount } from '../chosen-account.ts';
import type { RunCommand } from '../command.ts';
import { formatPhone, toOneLine } from '../format.ts';
import { askUser, canAsk } from '../prompt.ts';

export const listAccountsCommand: RunCommand = async ({ config, terminal }) => {
  const { accounts } = await clientOf(config.home).get('/api/accounts');
  if (terminal.json) terminal.writeJson(accounts);
  else for (const line of formatAccounts(accounts)) terminal.writeLine(line);
  return 0;
};

export const addAccountCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const name = args[0] ?? '';
  const owner = typeof options.owner === 'string' ? { owner: options.owner } : {};
  const made = await clientOf(config.home).post('/api/accounts', { body: { name, ...owner } });
  if (terminal.json) terminal.writeJson(made);
  else {
    terminal.writeLine(`Added the account ${made.name}.`);
    if (made.own)
      terminal.note(`Link its phone with \`relay whatsapp connect --account ${made.name}\`.`);
  }
  return 0;
};

export const renameAccountCommand: RunCommand = async ({ config, terminal, args }) => {
  const [before = '', name = ''] = args;
  const renamed = await clientOf(config.home).patch('/api/accounts/{name}', {
    path: { name: before },
    body: { name },
  });
  if (terminal.json) terminal.writeJson(renamed);
  else terminal.writeLine(`Renamed the account ${toOneLine(before)} to ${renamed.name}.`);
  return 0;
};

export const useAccountCommand: RunCommand = async ({ config, terminal, args }) => {
  const chosen = await clientOf(config.home).patch('/api/accounts/{name}', {
    path: { name: args[0] ?? '' },
    body: { default: true },
  });
  if (terminal.json) terminal.writeJson(chosen);
  else terminal.writeLine(`${chosen.name} is now your default account.`);
  return 0;
};

export const removeAccountCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const name = args[0] ?? '';
  const client = clientOf(config.home);
  const isConfirmed = options.yes === true || (canAsk() && !terminal.json);
  if (isConfirmed && options.yes !== true) {
    const typed = await askUser(
      `This deletes all messages of the account. Type its name, ${toOneLine(name)}, to remove it: `,
    );
    if (typed !== name) {
      terminal.notice('Not the same name. Nothing was removed.');
      return 1;
    }
  }
  const removed = await client.delete('/api/accounts/{name}', {
    path: { name },
    ...(isConfirmed ? { query: { confirm: name } } : {}),
  });
  if (terminal.json) terminal.writeJson(removed);
  else terminal.writeLine(`Removed the account ${removed.name} with everything in it.`);
  return 0;
};

export const showAccountSettingsCommand: RunCommand = async ({ config, terminal, args }) => {
  chooseAccount(args[0] ?? null);
  const settings = await clientOf(config.home).get('/api/account-settings');
  if (terminal.json) terminal.writeJson(settings);
  else for (const line of formatSettings(settings)) terminal.writeLine(line);
  return 0;
};

export const setAccountSettingCommand: RunCommand = async ({ config, terminal, args }) => {
  const [account = null, name = '', value] = args;
  chooseAccount(account);
  const [section = '', key] = name.split('.');
  const given = value === undefined ? null : parseValue(value);
  // The daemon refuses a name that it does not know.
  const body = (
    key === undefined ? { [section]: given } : { [section]: { [key]: given } }
  ) as object;
  const settings = await clientOf(config.home).patch('/api/account-settings', { body });
  if (terminal.json) terminal.writeJson(settings);
  else {
    for (const line of formatSettings(settings)) terminal.writeLine(line);
    terminal.note('The account was restarted with its settings.');
  }
  return 0;
};

const parseValue = (text: string): string | number =>
  /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;

function formatSettings(settings: object): string[] {
  const lines = Object.entries(settings).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([key, each]) => `${name}.${key} = ${String(each)}`)
      : [`${name} = ${String(value)}`],
  );
  const own = lines.filter((line) => !/ = (null|false)$/.test(line));
  return own.length === 0
    ? ['No settings of its own: those of the home apply.']
    : own.map(toOneLine);
}

// Formats accounts, one line each. Pure.

export function formatAccounts(accounts: readonly ListedAccount[]): string[] {
  const width = Math.max(0, ...accounts.map(({ name }) => name.length));
  return accounts.map((account) => {
    const facts = [
      account.phone_number === null ? null : formatPhone(account.phone_number),
      account.sentence,
      account.hold ? 'Sending is on hold.' : null,
      account.waiting_count === 0 ? null : `${account.waiting_count} waiting.`,
      account.own ? null : `Belongs to ${toOneLine(account.owner)}.`,
    ];
    const mark = account.default && account.own ? '*' : ' ';
    return `${mark} ${account.name.padEnd(width)}  ${facts.filter((fact) => fact !== null).join(' ')}`;
  });
}
