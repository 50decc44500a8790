// `relay observe`: adds, lists and removes observed groups. `add` asks the owner to inform the group first, with a
// prepared text; without that nothing is read.
import type { ObservedGroup, ObservedPreview } from '@relay/contract/api/observed-groups';
import { RelayError } from '@relay/contract/errors';
import { chooseMatch, rankMatch } from '@relay/core/contacts/match';
import { clientOf } from '../api.ts';
import type { CommandOptions, RunCommand } from '../command.ts';
import {
  formatClock,
  formatCount,
  formatRoughDuration,
  toOneLine,
  toPrintable,
} from '../format.ts';
import { askUser, canAsk } from '../prompt.ts';
import type { Terminal } from '../terminal.ts';

export const observeGroupCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const client = clientOf(config.home);
  const request = { group: args[0]?.trim() ?? '', ...termsIn(options) };
  const preview = await client.post('/api/observed-groups/preview', { body: request });
  const asks = !terminal.json && canAsk() && !preview.observed;
  const announced =
    options.announced === true || (asks && (await confirmAnnounced(terminal, preview)));
  const may_answer =
    options.answer === true || (asks && announced && (await confirmAnswers(preview)));
  const group = await client.post('/api/observed-groups', {
    body: { ...request, group: preview.address, announced, may_answer },
  });
  if (terminal.json) terminal.writeJson(group);
  else for (const line of formatObservationStart(group)) terminal.writeLine(line);
  return 0;
};

async function confirmAnnounced(
  terminal: Terminal,
  { name, announcement }: ObservedPreview,
): Promise<boolean> {
  terminal.note(`Tell the members of ${toPrintable(name)} first. For example:`);
  terminal.note('');
  terminal.note(`  ${toPrintable(announcement)}`);
  terminal.note('');
  return isYesAnswer(await askUser('Have you told them? [y/N] '));
}

const confirmAnswers = async ({ assistant_name: name }: ObservedPreview): Promise<boolean> =>
  isYesAnswer(
    await askUser(`Let ${toPrintable(name)} answer you there when you mention it? [y/N] `),
  );

const isYesAnswer = (answer: string): boolean => /^y(es)?$/i.test(answer);

function termsIn({ name, answers, zone }: CommandOptions) {
  return {
    ...(typeof name === 'string' ? { assistant_name: name } : {}),
    ...(typeof answers === 'string' ? { answers_per_day: countIn(answers) } : {}),
    ...(typeof zone === 'string' ? { zone } : {}),
  };
}

function countIn(given: string): number {
  const count = Number(given);
  if (Number.isInteger(count) && count >= 0 && count <= 100) return count;
  throw new RelayError('usage', { what: 'Give --answers a number from 0 to 100.' });
}

// `relay observe list`: each observed group, since when, and what observing costs and saves.

export const listObservedGroupsCommand: RunCommand = async ({ config, terminal }) => {
  const groups = await clientOf(config.home).get('/api/observed-groups');
  if (terminal.json) terminal.writeJson(groups);
  else if (groups.length === 0) {
    terminal.notice('No observed groups. Add one with `relay observe add <group>`.');
  } else {
    for (const line of formatObservedGroups(groups, new Date(), terminal.colours))
      terminal.writeLine(line);
  }
  return 0;
};

// `relay observe remove <group>`: stops reading it; `--erase` also deletes what was stored.

export const stopObservingGroupCommand: RunCommand = async ({
  config,
  terminal,
  args,
  options,
}) => {
  const client = clientOf(config.home);
  const { chat_id: id } = findObservedGroup(
    await client.get('/api/observed-groups'),
    args[0] ?? '',
  );
  const erase = options.erase === true ? 'true' : 'false';
  const removed = await client.delete('/api/observed-groups/{id}', {
    path: { id },
    query: { erase },
  });
  if (terminal.json) terminal.writeJson(removed);
  else {
    const stored = removed.erased ? 'Its stored data is erased.' : 'Its stored data is kept.';
    terminal.writeLine(`${toOneLine(removed.name)} is no longer observed. ${stored}`);
  }
  return 0;
};

function findObservedGroup(groups: readonly ObservedGroup[], given: string): ObservedGroup {
  const matches = groups
    .flatMap((group) => {
      const { chat_id: id, name, address } = group;
      const rank = rankMatch(given.trim(), { id, names: [name], addresses: [address] });
      return rank === null ? [] : [{ rank, of: group }];
    })
    .sort((a, b) => a.rank - b.rank);
  const choice = chooseMatch(matches);
  if ('found' in choice) return choice.found;
  const group = toOneLine(given);
  if ('nobody' in choice) throw new RelayError('not_observed', { group });
  const candidates = choice.ambiguous.map(({ name, address }) => `${toOneLine(name)} (${address})`);
  throw new RelayError('group_unclear', { group, candidates: candidates.join(', ') });
}

// `relay observe token`: the token for notification forwarders. It is shown only when it is created; without options
// one is created only if there is none.

export const manageForwarderTokenCommand: RunCommand = async ({ config, terminal, options }) => {
  const client = clientOf(config.home);
  if (options.revoke) {
    await client.delete('/api/ingest/token');
    if (terminal.json) terminal.writeJson({ exists: false });
    else terminal.writeLine('Token revoked. Notifications are refused from now on.');
    return 0;
  }
  const state = await client.get('/api/ingest/token');
  if (state.exists && !options.rotate) {
    if (terminal.json) terminal.writeJson(state);
    else for (const line of formatForwarderToken(state)) terminal.writeLine(line);
    return 0;
  }
  const { token } = await client.post('/api/ingest/token');
  if (terminal.json) {
    terminal.writeJson({ token });
    return 0;
  }
  terminal.writeLine(token);
  terminal.note(
    'This token is shown only once. It can only submit notifications of observed groups.',
  );
  if (state.exists) terminal.note('The old token no longer works.');
  return 0;
};

interface ForwarderTokenState {
  readonly created_at: string | null;
  readonly last_used_at: string | null;
}

const formatForwarderToken = ({ created_at, last_used_at }: ForwarderTokenState): string[] => [
  `Token created ${day(created_at)}, ${last_used_at === null ? 'never used' : `last used ${day(last_used_at)}`}.`,
  'It cannot be shown again. Create a new one with `relay observe token --rotate`, or revoke it with `--revoke`.',
];

const day = (at: string | null): string => at?.slice(0, 10) ?? 'on an unknown date';

// Text about observed groups. Pure.

export function formatObservationStart(group: ObservedGroup): string[] {
  const { name, zone, assistant_name, answers_per_day, may_answer } = group;
  const assistant = toOneLine(assistant_name);
  return [
    `Observing ${toOneLine(name)} since ${formatClock(new Date(group.since), new Date())} (${zone}).`,
    may_answer && answers_per_day > 0
      ? `Relay sends nothing there unless you mention ${assistant}, up to ${formatCount(answers_per_day, 'answer')} per day.`
      : `Relay sends nothing there. Let ${assistant} answer you when you mention it with \`relay observe add --answer\`.`,
  ];
}

export function formatObservedGroups(
  groups: readonly ObservedGroup[],
  now: Date,
  colours: Pick<Terminal['colours'], 'bold' | 'dim'>,
): string[] {
  return groups.flatMap((group, index) => [
    ...(index === 0 ? [] : ['']),
    `${colours.bold(toOneLine(group.name))}  ${colours.dim(group.address)}`,
    ...factsOf(group, now).map(([name, value]) => `  ${colours.dim(name.padEnd(14))}  ${value}`),
  ]);
}

const formatNumber = (count: number): string => count.toLocaleString('en');

function factsOf(group: ObservedGroup, now: Date): [string, string][] {
  const received = group.messages_kept + group.messages_cut;
  const share = received === 0 ? '' : ` (${Math.round((100 * group.messages_cut) / received)} %)`;
  const ago = (at: string) => formatRoughDuration(now.getTime() - new Date(at).getTime());
  const { last_digest_at: digest, oldest_message_at: oldest, announced_at: announced } = group;
  return [
    [
      'Since',
      `${formatClock(new Date(group.since), now)}, ${announced === null ? 'not announced' : 'announced'}, ${group.zone}`,
    ],
    ['Messages', `${group.messages_kept} kept, ${group.messages_cut} filtered as noise${share}`],
    [
      'Model tokens',
      `${formatNumber(group.tokens_spent)} used, ${formatNumber(group.tokens_avoided)} saved`,
    ],
    ['Digest', digest === null ? 'none yet' : `up to ${formatClock(new Date(digest), now)}`],
    [
      'Answers',
      group.may_answer
        ? `${group.answers_today} of ${group.answers_per_day} today, by ${toOneLine(group.assistant_name)}`
        : 'not allowed',
    ],
    ['Oldest message', oldest === null ? 'none' : `${ago(oldest)} old`],
  ];
}
