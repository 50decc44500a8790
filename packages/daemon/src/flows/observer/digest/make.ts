// One digest: a transaction that begins its run, the model, and a transaction that writes it down. Killed
// anywhere in between, the period is simply still due; what was written is found and not written again.
import { estimateTokens } from '@relay/core/agent/tokens';
import { RelayError } from '@relay/core/errors';
import type { RunId } from '@relay/core/ids';
import { clockOf, dateOf, hoursOf } from '@relay/core/observer/digest/clock';
import type { DigestFact } from '@relay/core/observer/digest/facts';
import { parseDaily, parseHourly } from '@relay/core/observer/digest/parse';
import { type Cut, dayOf } from '@relay/core/observer/digest/periods';
import { DIGEST_TOKENS, dailyQuestion, hourlyQuestion } from '@relay/core/observer/digest/prompt';
import { dailyText } from '@relay/core/observer/digest/text';
import { cutToTokens } from '@relay/core/observer/tokens';
import type { ObservedGroup } from '../../../store/observer/groups.ts';
import { askModel } from './ask.ts';
import type { DuePeriod } from './look.ts';
import { dayMaterial, hourMaterial } from './material.ts';
import type { DigestWorld } from './world.ts';

export interface Task {
  readonly group: ObservedGroup;
  readonly cut: Cut;
  readonly due: DuePeriod;
}

export interface Written {
  readonly body: string;
  readonly tokens: number;
  readonly facts: readonly DigestFact[];
}

/** Called where a model has to be asked. */
export type Begin = () => Promise<RunId>;

export function compose(
  world: DigestWorld,
  task: Task,
  begin: Begin,
  signal: AbortSignal,
): Promise<Written> {
  return task.due.kind === 'hourly'
    ? composeHour(world, task, begin, signal)
    : composeDay(world, task, begin, signal);
}

async function composeHour(
  world: DigestWorld,
  { group, cut, due }: Task,
  begin: Begin,
  signal: AbortSignal,
): Promise<Written> {
  const { zone } = cut;
  const { lines, media, onlyMedia } = await hourMaterial(world, group, cut, due);
  const hours = hoursOf(due, zone);
  if (onlyMedia) return hourly(hours, '', media);
  const run = await begin();
  const question = hourlyQuestion({ ...materialOf(group, run), hours, lines });
  const text = await askModel(world, { group, run, question, read: parseHourly, signal });
  return hourly(hours, text, media);
}

function hourly(hours: string, text: string, media: string): Written {
  const said = [text, media].filter((part) => part !== '');
  const whole = `${hours}: ${said.join(' ')}`;
  // What we say of media is kept: of the model's words only as many as leave room for it.
  const room = DIGEST_TOKENS.hourly - estimateTokens(`${hours}: ${media} `);
  const body =
    estimateTokens(whole) <= DIGEST_TOKENS.hourly
      ? whole
      : `${hours}: ${cutToTokens(text, room)} ${media}`.trimEnd();
  return { body, tokens: estimateTokens(body), facts: [] };
}

async function composeDay(
  world: DigestWorld,
  { group, cut, due }: Task,
  begin: Begin,
  signal: AbortSignal,
): Promise<Written> {
  const { zone } = cut;
  const { lines, hours, media, participants } = await dayMaterial(world, group, cut, due);
  if (hours.length === 0) throw new RelayError('digest_without_hours');
  const run = await begin();
  const date = `${dateOf(due.start, zone)} (${dayOf(due.start, cut).name})`;
  const question = dailyQuestion({ ...materialOf(group, run), date, lines });
  const beginnings = new Map(hours.map(({ start }) => [clockOf(start, zone), start]));
  const read = (answer: string, again: boolean) =>
    parseDaily(answer, {
      day: due.start,
      hourAt: (clock) => beginnings.get(clock) ?? null,
      proseWillDo: again,
      room: DIGEST_TOKENS.daily - estimateTokens(dailyText({ body: media, facts: participants })),
    });
  const parts = await askModel(world, { group, run, question, read, signal });
  const body = [parts.body, media].filter((part) => part !== '').join(' ');
  const facts = [...parts.facts, ...participants];
  return { body, facts, tokens: estimateTokens(dailyText({ body, facts })) };
}

const materialOf = ({ chat, name }: ObservedGroup, run: RunId) => ({
  from: { chats: [chat], outside: false },
  group: name,
  // Unlike anything that somebody can write who has not seen it.
  mark: `group-${run.slice(0, 8)}`,
});
