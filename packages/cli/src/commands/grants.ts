// `relay grant <who>` and `relay revoke <who>`: change what agents may do with one contact or group. Permissions that
// are not named stay as they are; for a new contact the default is reading.
import type { Permission } from '@relay/contract/api/contacts';
import type { Client } from '@relay/contract/client/client';
import { RelayError } from '@relay/contract/errors';
import { describeGrant, grantOptionLines } from '@relay/core/contacts/grants';
import { clientOf } from '../api.ts';
import type { CommandOptions, RunCommand } from '../command.ts';
import { formatPhone, toOneLine, toPrintable } from '../format.ts';
import {
  type ContactTarget,
  findKnownContact,
  formatContactLabel,
  resolveContact,
} from './contacts.ts';

export const grantPermissionsCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const client = clientOf(config.home);
  const changes = parseGrantChanges(options);
  const meant = await resolveContact(client, args[0], options.group === true ? 'group' : 'all');
  const held = 'known' in meant ? meant.known.grant : null;
  const permission =
    held === null
      ? await createGrant(client, meant, changes)
      : await client.patch('/api/whatsapp/permissions/{id}', {
          path: { id: held.id },
          body: changes,
        });
  if (terminal.json) terminal.writeJson(permission);
  else {
    for (const line of formatGrant(permission)) terminal.writeLine(line);
    terminal.note(`Revoke it with \`relay revoke ${formatGranteeArgument(permission)}\`.`);
  }
  return 0;
};

interface GrantChanges {
  readonly canRead?: true;
  readonly canReply?: true;
  readonly replyMode?: 'auto' | 'draft';
  readonly canInitiate?: true;
  readonly displayName?: string;
  readonly options?: ChangedOptions;
}

/** Null revokes the permission. */
interface ChangedOptions {
  readonly persona?: string | null;
  readonly model?: string | null;
  readonly quietHours?: { readonly from: string; readonly to: string } | null;
  readonly suggest?: true | null;
  readonly photos?: 'show' | 'hide' | null;
}

function parseGrantChanges(options: CommandOptions): GrantChanges {
  const { read, reply, draft, initiate, name } = options;
  const replies = reply === true || draft === true;
  const changed = changedOptions(options);
  return {
    ...(read === true ? { canRead: true } : {}),
    ...(replies ? { canReply: true, replyMode: draft === true ? 'draft' : 'auto' } : {}),
    ...(initiate === true ? { canInitiate: true } : {}),
    ...(typeof name === 'string' && name.trim() !== '' ? { displayName: name.trim() } : {}),
    ...(Object.keys(changed).length === 0 ? {} : { options: changed }),
  };
}

function changedOptions({
  persona,
  model,
  quiet,
  suggest,
  photos,
}: CommandOptions): ChangedOptions {
  const text = (given: string) => (given.trim() === '' ? null : given.trim());
  return {
    ...(typeof persona === 'string' ? { persona: text(persona) } : {}),
    ...(typeof model === 'string' ? { model: text(model) } : {}),
    ...(typeof suggest === 'boolean' ? { suggest: suggest || null } : {}),
    ...(typeof photos === 'string' ? { photos: photosOption(photos.trim()) } : {}),
    ...(typeof quiet === 'string' ? { quietHours: quietHours(quiet.trim()) } : {}),
  };
}

function photosOption(given: string): 'show' | 'hide' | null {
  if (given === '' || given === 'show' || given === 'hide') return given === '' ? null : given;
  throw new RelayError('usage', { what: 'Give --photos either show or hide.' });
}

function quietHours(given: string): { from: string; to: string } | null {
  if (given === '') return null;
  const [, from, to] = /^(\d\d?:\d\d)\s*[-–]\s*(\d\d?:\d\d)$/.exec(given) ?? [];
  if (from === undefined || to === undefined) {
    throw new RelayError('usage', { what: 'Give --quiet two times, such as 22:00-07:00.' });
  }
  return { from: from.padStart(5, '0'), to: to.padStart(5, '0') };
}

function createGrant(
  client: Client,
  meant: ContactTarget,
  changes: GrantChanges,
): Promise<Permission> {
  const { displayName, options, ...flags } = changes;
  const nothing = Object.keys(flags).length === 0;
  const kept = Object.entries(options ?? {}).filter(([, value]) => value !== null);
  return client.post('/api/whatsapp/permissions', {
    body: {
      ...whomOf(meant),
      displayName: displayName ?? nameOf(meant),
      ...(nothing ? { canRead: true } : flags),
      options: Object.fromEntries(kept),
    },
  });
}

function whomOf(
  meant: ContactTarget,
): { phoneNumber: string } | { contactId: string } | { group: string } {
  if (!('known' in meant)) return meant;
  const { id, kind, jid } = meant.known;
  return kind === 'group' && jid !== null ? { group: jid } : { contactId: id };
}

/**
 * Without `--name` a contact is known by their number. WhatsApp profile names are never used, since people choose them
 * themselves.
 */
const nameOf = (meant: ContactTarget): string | null =>
  'phoneNumber' in meant ? formatPhone(meant.phoneNumber) : null;

// `relay revoke <who>`: revokes permissions, also for messages already queued.

export const revokePermissionsCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const client = clientOf(config.home);
  const kind = options.group === true ? 'group' : 'all';
  const contact = await findKnownContact(client, args[0], kind, { byProfile: true });
  const who = formatContactLabel(contact);
  if (contact.grant === null) throw new RelayError('not_granted', { who });
  const path = { id: contact.grant.id };
  if (options.remove === true) {
    const removed = await client.delete('/api/whatsapp/permissions/{id}', { path });
    if (terminal.json) terminal.writeJson(removed);
    else terminal.writeLine(`Removed: ${who}. Agents have no access.`);
    return 0;
  }
  const permission = await client.patch('/api/whatsapp/permissions/{id}', {
    path,
    body: parseRevokedPermissions(options),
  });
  if (terminal.json) terminal.writeJson(permission);
  else {
    for (const line of formatGrant(permission)) terminal.writeLine(line);
    terminal.note(
      `Delete the record too with \`relay revoke ${formatGranteeArgument(permission)} --remove\`.`,
    );
  }
  return 0;
};

/** Everything, unless permissions are named. */
function parseRevokedPermissions({ read, reply, initiate }: CommandOptions) {
  const all = read !== true && reply !== true && initiate !== true;
  return {
    ...(all || read === true ? { canRead: false } : {}),
    ...(all || reply === true ? { canReply: false } : {}),
    ...(all || initiate === true ? { canInitiate: false } : {}),
  };
}

// Describes a grant after a change, and what can be done next. Pure.

export function formatGrant(permission: Permission): string[] {
  const { canRead, canReply, replyMode, options } = permission;
  return [
    `${formatGrantee(permission)}: agents may ${describeGrant(permission)}.`,
    ...grantOptionLines(options).map((line) => `  ${toPrintable(line)}`),
    ...(canReply && !canRead
      ? ['Agents may not read this chat, so they do not reply automatically. Add --read.']
      : []),
    ...(canReply && canRead && replyMode === 'draft'
      ? ['Replies need your approval: `relay approvals`.']
      : []),
  ];
}

function formatGrantee({ displayName, phoneNumber, jid }: Permission): string {
  const address = phoneNumber === null ? toOneLine(jid ?? '') : formatPhone(phoneNumber);
  const name = toOneLine(displayName);
  return name === address || address === '' ? name : `${name} (${address})`;
}

/** Quoted for use as a shell argument. */
export const formatGranteeArgument = ({ displayName, phoneNumber }: Permission): string => {
  const name = toOneLine(displayName);
  if (phoneNumber !== null) return formatPhone(phoneNumber);
  return /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
};
