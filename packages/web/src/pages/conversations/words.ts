// The words of the board: what each turn is called, the page's sentence, and the one line that says of a conversation
// what happens next. Pure.
import type { InstanceCounts, ListedInstance } from '@relay/core/api/instances';
import { STATES } from '@relay/core/conversation/states';
import type { Turn } from '@relay/core/conversation/turns';
import { counted, grouped, named, plural } from '../../parts/numbers.ts';
import { moment, span } from '../../parts/times.ts';
import type { Hue } from '../../theme/hues.ts';

interface TurnShown {
  readonly title: string;
  /** Where there is little room. */
  readonly short: string;
  readonly note: string;
  readonly hue: Hue;
  readonly empty: string;
}

export const TURNS_SHOWN: Readonly<Record<Turn, TurnShown>> = {
  you: {
    title: 'Your turn',
    short: 'You',
    note: 'It asked, or waits for a yes.',
    hue: 'you',
    empty: 'Nothing waits for you.',
  },
  agent: {
    title: 'Agent’s turn',
    short: 'Agent',
    note: 'Reading, writing or about to.',
    hue: 'agent',
    empty: 'The agent has nothing to write.',
  },
  them: {
    title: 'Their turn',
    short: 'Them',
    note: 'Waiting for an answer.',
    hue: 'them',
    empty: 'Nobody owes an answer.',
  },
  parked: {
    title: 'Parked',
    short: 'Parked',
    note: 'Held by you, or in line.',
    hue: 'parked',
    empty: 'Nothing is held or in line.',
  },
  ended: {
    title: 'Ended',
    short: 'Ended',
    note: 'Done, given up or cancelled.',
    hue: 'parked',
    empty: 'Nothing has ended yet.',
  },
};

export const openOf = ({ by_turn: { you, agent, them, parked } }: InstanceCounts): number =>
  you + agent + them + parked;

export const allOf = (counts: InstanceCounts): number => openOf(counts) + counts.by_turn.ended;

export function boardSentence(counts: InstanceCounts): string {
  const { you } = counts.by_turn;
  if (allOf(counts) === 0) return 'Whose turn is it? Nobody’s yet.';
  if (you === 0) return 'Whose turn is it? None is yours.';
  return `Whose turn is it? ${counted(you, 'is', 'are')} yours.`;
}

export const boardLead = (counts: InstanceCounts): string =>
  `${plural(openOf(counts), 'open conversation')}. Cards move by themselves; open one to see its legal moves.`;

export const listLead = (counts: InstanceCounts): string =>
  `${plural(allOf(counts), 'conversation')}, ${grouped(openOf(counts))} open. Whatever changed last stands at the top.`;

export const whoOf = ({ contact_name, target_contact }: ListedInstance): string =>
  contact_name ?? named(target_contact);

/** A todo that was left out is settled too. */
export const doneOf = ({ todos }: ListedInstance): number =>
  todos.filter(({ status }) => status === 'completed' || status === 'skipped').length;

/** What happens by itself if nobody answers; null where no timer runs. */
export function followUpLine(instance: ListedInstance, now: number): string | null {
  const { next_follow_up_at: at, follow_up_count: sent, heartbeat_config: config } = instance;
  if (at === null) return null;
  const what =
    sent < config.max_followups ? `Follow-up ${sent + 1} of ${config.max_followups}` : 'Gives up';
  const left = Date.parse(at) - now;
  if (left < 60_000) return `${what} within a minute`;
  return left < 12 * 3_600_000 ? `${what} in ${span(left)}` : `${what} ${moment(at, now)}`;
}

/** Why it stands where it stands; where only the state's own sentence is known, the badge has said it. */
export const reasonLine = ({ reason, state, approval_id }: ListedInstance): string | null => {
  if (approval_id !== null) return 'A message waits for your yes.';
  return reason === STATES[state] ? null : reason;
};

/** `now`, `6 min`, `3 h`, then the day. */
export function changeTime(at: string, now: number): string {
  const ms = now - Date.parse(at);
  if (ms < 60_000) return 'now';
  return ms < 86_400_000 ? span(ms) : `${Math.floor(ms / 86_400_000)} d`;
}
