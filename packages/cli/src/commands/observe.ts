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
  terminal.note(`People in ${toPrintable(name)} should know. You could write there:`);
  terminal.note('');
  terminal.note(`  ${toPrintable(announcement)}`);
  terminal.note('');
  return isYesAnswer(await askUser('Have you told them? [y/N] '));
}

const confirmAnswers = async ({ assistant_name: name }: ObservedPreview): Promise<boolean> =>
  isYesAnswer(
    await askUser(`May ${toPrintable(name)} answer you there when you ask it by name? [y/N] `),
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
    terminal.progress('No group is observed. `relay observe add <group>` begins it.');
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
    const kept = removed.erased ? 'What was kept of it is erased.' : 'What was kept of it stays.';
    terminal.writeLine(`${toOneLine(removed.name)} is read no longer. ${kept}`);
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
    else terminal.writeLine('Notifications are no longer taken: the token is worth nothing.');
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
    'It is shown this once. It can hand in notifications of observed groups and nothing else.',
  );
  if (state.exists) terminal.note('The one before it no longer works.');
  return 0;
};

interface ForwarderTokenState {
  readonly created_at: string | null;
  readonly last_used_at: string | null;
}

const formatForwarderToken = ({ created_at, last_used_at }: ForwarderTokenState): string[] => [
  `There is a token since ${day(created_at)}; it was ${last_used_at === null ? 'never used' : `last used on ${day(last_used_at)}`}.`,
  'It cannot be shown again. `relay observe token --rotate` makes a new one, `--revoke` ends it.',
];

const day = (at: string | null): string => at?.slice(0, 10) ?? 'some day';

// Text about observed groups. Pure.

export function formatObservationStart(group: ObservedGroup): string[] {
  const { name, zone, assistant_name, answers_per_day, may_answer } = group;
  const assistant = toOneLine(assistant_name);
  return [
    `${toOneLine(name)} is read in silence since ${formatClock(new Date(group.since), new Date())} (${zone}).`,
    may_answer && answers_per_day > 0
      ? `Nothing is written there unless you ask ${assistant} by name, at most ${formatCount(answers_per_day, 'time')} a day.`
      : `Nothing is written there. \`relay observe add --answer\` lets ${assistant} answer you when you ask it by name.`,
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
    ...factsOf(group, now).map(([what, is]) => `  ${colours.dim(what.padEnd(9))} ${is}`),
  ]);
}

function factsOf(group: ObservedGroup, now: Date): [string, string][] {
  const heard = group.messages_kept + group.messages_cut;
  const share = heard === 0 ? '' : ` (${Math.round((100 * group.messages_cut) / heard)} %)`;
  const ago = (at: string) => formatRoughDuration(now.getTime() - new Date(at).getTime());
  const { last_digest_at: digest, oldest_message_at: oldest, announced_at: announced } = group;
  return [
    [
      'since',
      `${formatClock(new Date(group.since), now)}, ${announced === null ? 'not announced' : 'announced'}, ${group.zone}`,
    ],
    ['messages', `${group.messages_kept} kept, ${group.messages_cut} cut as noise${share}`],
    ['tokens', `${group.tokens_spent} spent, ${group.tokens_avoided} avoided`],
    ['digest', digest === null ? 'none yet' : `up to ${formatClock(new Date(digest), now)}`],
    [
      'answers',
      group.may_answer
        ? `${group.answers_today} of ${group.answers_per_day} today, to ${toOneLine(group.assistant_name)}`
        : 'none allowed',
    ],
    ['raw', oldest === null ? 'nothing kept' : `oldest message ${ago(oldest)} old`],
  ];
}
