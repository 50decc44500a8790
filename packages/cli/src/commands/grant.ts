// `relay grant <who>`: allows agents something with one person or group. What is not named stays as it is;
// for somebody new, nothing named means reading.
import type { Permission } from '@relay/core/api/permissions';
import type { Client } from '@relay/core/client/client';
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../api.ts';
import type { Options, Run } from '../command.ts';
import { phone } from '../format.ts';
import { type Meant, whoIsMeant } from '../people/find.ts';
import { grantLines, typed } from '../people/outcome.ts';

export const run: Run = async ({ config, terminal, args, options }) => {
  const client = clientOf(config.home);
  const changes = changesIn(options);
  const meant = await whoIsMeant(client, args[0], options.group === true ? 'group' : 'all');
  const held = 'known' in meant ? meant.known.grant : null;
  const permission =
    held === null
      ? await begin(client, meant, changes)
      : await client.patch('/api/whatsapp/permissions/{id}', {
          path: { id: held.id },
          body: changes,
        });
  if (terminal.json) terminal.give(permission);
  else {
    for (const line of grantLines(permission)) terminal.say(line);
    terminal.note(`\`relay revoke ${typed(permission)}\` takes it back.`);
  }
  return 0;
};

interface Changes {
  readonly canRead?: true;
  readonly canReply?: true;
  readonly replyMode?: 'auto' | 'draft';
  readonly canInitiate?: true;
  readonly displayName?: string;
  readonly options?: ChangedOptions;
}

/** Null takes one back. */
interface ChangedOptions {
  readonly persona?: string | null;
  readonly model?: string | null;
  readonly quietHours?: { readonly from: string; readonly to: string } | null;
}

function changesIn(options: Options): Changes {
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

function changedOptions({ persona, model, quiet }: Options): ChangedOptions {
  const text = (given: string) => (given.trim() === '' ? null : given.trim());
  return {
    ...(typeof persona === 'string' ? { persona: text(persona) } : {}),
    ...(typeof model === 'string' ? { model: text(model) } : {}),
    ...(typeof quiet === 'string' ? { quietHours: quietHours(quiet.trim()) } : {}),
  };
}

function quietHours(given: string): { from: string; to: string } | null {
  if (given === '') return null;
  const [, from, to] = /^(\d\d?:\d\d)\s*[-–]\s*(\d\d?:\d\d)$/.exec(given) ?? [];
  if (from === undefined || to === undefined) {
    throw new RelayError('usage', { what: 'Give --quiet two times, as in 22:00-07:00.' });
  }
  return { from: from.padStart(5, '0'), to: to.padStart(5, '0') };
}

function begin(client: Client, meant: Meant, changes: Changes): Promise<Permission> {
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

function whomOf(meant: Meant): { phoneNumber: string } | { contactId: string } | { group: string } {
  if (!('known' in meant)) return meant;
  const { id, kind, jid } = meant.known;
  return kind === 'group' && jid !== null ? { group: jid } : { contactId: id };
}

/** Without `--name`, a number is known by itself. What people call themselves is never taken as a name. */
const nameOf = (meant: Meant): string | null =>
  'phoneNumber' in meant ? phone(meant.phoneNumber) : null;
