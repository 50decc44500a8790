// Scores a noise filter: precision of what it drops, recall of noise, and how much content it loses.
import type { NoiseJudge } from '@relay/core/observer/message';
import type { LabelledMessage } from '@relay/testing/observer/weeks';
import { beforeOf } from './tables.ts';

export interface Judgement {
  readonly labelled: LabelledMessage;
  readonly dropped: boolean;
}

export interface Tally {
  readonly messages: number;
  readonly precision: number;
  readonly recall: number;
  /** The share of all messages that is dropped. */
  readonly share: number;
  readonly lost: number;
  readonly kept: number;
}

export const judgeWeek = (
  week: readonly LabelledMessage[],
  judge: NoiseJudge,
): readonly Judgement[] =>
  week.map((labelled, at) => ({
    labelled,
    dropped: judge(labelled.message, beforeOf(week, at)).noise,
  }));

export function tally(judgements: readonly Judgement[]): Tally {
  const count = (noise: boolean, dropped: boolean): number =>
    judgements.filter((one) => one.labelled.noise === noise && one.dropped === dropped).length;
  const [right, lost, kept] = [count(true, true), count(false, true), count(true, false)];
  return {
    messages: judgements.length,
    precision: right / (right + lost),
    recall: right / (right + kept),
    share: (right + lost) / judgements.length,
    lost,
    kept,
  };
}

export const tallyLine = (
  name: string,
  { messages, precision, recall, lost, kept }: Tally,
): string =>
  `${name.padEnd(26)} ${percent(precision)}  ${percent(recall)}  ${String(lost).padStart(4)} lost ${String(kept).padStart(4)} kept of ${messages}`;

const percent = (part: number): string =>
  (Number.isNaN(part) ? '–' : (100 * part).toFixed(1)).padStart(6);
