// `relay observe remove <group>`: nothing more of it is read; with `--erase` what was kept is gone too.
import type { ObservedGroup } from '@relay/core/api/observed-groups';
import { choose, rankOf } from '@relay/core/contacts/find';
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { oneLine } from '../../format.ts';

export const run: Run = async ({ config, terminal, args, options }) => {
  const client = clientOf(config.home);
  const { chat_id: id } = meant(await client.get('/api/observed-groups'), args[0] ?? '');
  const erase = options.erase === true ? 'true' : 'false';
  const removed = await client.delete('/api/observed-groups/{id}', {
    path: { id },
    query: { erase },
  });
  if (terminal.json) terminal.give(removed);
  else {
    const kept = removed.erased ? 'What was kept of it is erased.' : 'What was kept of it stays.';
    terminal.say(`${oneLine(removed.name)} is read no longer. ${kept}`);
  }
  return 0;
};

function meant(groups: readonly ObservedGroup[], given: string): ObservedGroup {
  const matches = groups
    .flatMap((group) => {
      const { chat_id: id, name, address } = group;
      const rank = rankOf(given.trim(), { id, names: [name], addresses: [address] });
      return rank === null ? [] : [{ rank, of: group }];
    })
    .sort((a, b) => a.rank - b.rank);
  const choice = choose(matches);
  if ('found' in choice) return choice.found;
  const group = oneLine(given);
  if ('nobody' in choice) throw new RelayError('not_observed', { group });
  const candidates = choice.ambiguous.map(({ name, address }) => `${oneLine(name)} (${address})`);
  throw new RelayError('group_unclear', { group, candidates: candidates.join(', ') });
}
