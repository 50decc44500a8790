// `relay revoke <who>`: takes permissions back. It holds at once, also for what is queued already.
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../api.ts';
import type { Options, Run } from '../command.ts';
import { nameAndAddress, somebodyKnown } from '../people/find.ts';
import { grantLines, typed } from '../people/outcome.ts';

export const run: Run = async ({ config, terminal, args, options }) => {
  const client = clientOf(config.home);
  const contact = await somebodyKnown(client, args[0], options.group === true ? 'group' : 'all');
  const who = nameAndAddress(contact);
  if (contact.grant === null) throw new RelayError('not_granted', { who });
  const path = { id: contact.grant.id };
  if (options.remove === true) {
    const removed = await client.delete('/api/whatsapp/permissions/{id}', { path });
    if (terminal.json) terminal.give(removed);
    else terminal.say(`Removed: ${who}. Agents may do nothing here any more.`);
    return 0;
  }
  const permission = await client.patch('/api/whatsapp/permissions/{id}', {
    path,
    body: takenBack(options),
  });
  if (terminal.json) terminal.give(permission);
  else {
    for (const line of grantLines(permission)) terminal.say(line);
    terminal.note(`\`relay revoke ${typed(permission)} --remove\` forgets the record as well.`);
  }
  return 0;
};

/** Everything, unless it is said what. */
function takenBack({ read, reply, initiate }: Options) {
  const all = read !== true && reply !== true && initiate !== true;
  return {
    ...(all || read === true ? { canRead: false } : {}),
    ...(all || reply === true ? { canReply: false } : {}),
    ...(all || initiate === true ? { canInitiate: false } : {}),
  };
}
