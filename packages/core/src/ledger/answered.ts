// What auto-reply or the assistant made of a message that was handed to it. The ledger's last row about the
// message says which of these it is; runs, approvals and the outbox say how it went on.
import { REASONS, type ReasonCode } from '../policy/reasons.ts';
import { ANSWER_WORDS } from './answer-words.ts';
import { ANSWERS, type AnswerReason } from './answers.ts';
import { stands } from './delivery.ts';
import type { AnswerPart, Reading } from './story.ts';
import { clause, lapsed, moment, when, withRun } from './words.ts';

export interface Answerer {
  readonly who: 'auto-reply' | 'your assistant';
  /** Why it was handed there. */
  readonly because: string;
  /** What else the same grant allowed, where the answer went out. */
  readonly may: string;
}

type Part = AnswerPart & { readonly why: AnswerReason; readonly reading: Reading };

export function answeredBy(
  answerer: Answerer,
  answer: AnswerPart | null,
  reading: Reading,
): string {
  const { who, because } = answerer;
  const reason = answer?.reason ?? null;
  if (answer === null || reason === null) return notYet(answerer, answer);
  if (!Object.hasOwn(ANSWERS, reason)) {
    return `Handed to ${who}, ${because}; what came of it was recorded as ${reason}.`;
  }
  const why = reason as AnswerReason;
  const say = ANSWERS[why].outcome === 'waiting' ? waits : not;
  return (SAY[why] ?? say)(answerer, { ...answer, why, reading });
}

/** Handed over, and nothing decided about it yet. */
function notYet({ who, because }: Answerer, answer: AnswerPart | null): string {
  const run = answer?.run ?? null;
  return run?.state === 'running'
    ? `Waits: ${who}${withRun(run)} is at work on it, ${because}.`
    : `Waits: it was handed to ${who}, ${because}, and its turn has not come yet.`;
}

type Say = (answerer: Answerer, part: Part) => string;

const waits: Say = ({ who, because }, part) =>
  `Waits: it was handed to ${who}, ${because}, and ${said(part)}${again(part)}.`;

/** The answer was not made, or not sent. */
const not: Say = ({ who, because }, part) =>
  `Not answered: it was handed to ${who}${withRun(part.run)}, ${because}, but ${said(part)}${refused(part)}.`;

const said = ({ why }: Part): string => clause(ANSWER_WORDS[why]);

const again = ({ until, reading }: Part): string =>
  until === null ? '' : `, so it is looked at again ${when(until, reading)}`;

/** Those that say more than why. */
const SAY: Readonly<Partial<Record<AnswerReason, Say>>> = {
  replied: ({ who, because, may }, part) =>
    part.answer?.state === 'failed'
      ? `Not answered: ${who}${withRun(part.run)} wrote an answer, ${because}${may}${after(part)}.`
      : `Answered by ${who}${withRun(part.run)}, ${because}${may}${after(part)}.`,
  command: ({ who, because }, part) =>
    `Carried out by ${who} as a command, ${because}${after(part) || untold(part)}.`,
  interrupted: ({ who, because }, part) =>
    `Answered by ${who}${withRun(part.run)}, ${because}, with what it had done when it was interrupted${after(part)}.`,
  failed: ({ who, because }, part) =>
    `Answered by ${who}${withRun(part.run)}, ${because}, with why it could not be done${after(part)}.`,
  draft: drafted,
};

const after = ({ answer, reading }: Part): string =>
  answer === null ? '' : `; ${stands('the answer', answer, reading)}`;

const untold = (part: Part): string =>
  part.refusal === null ? '' : `, and you were not told of it${refused(part)}`;

const refused = ({ refusal }: Part): string => {
  if (refusal === null) return '';
  return Object.hasOwn(REASONS, refusal)
    ? `, because ${clause(REASONS[refusal as ReasonCode].sentence)}`
    : ` (${refusal})`;
};

/** A draft goes the way of its approval. */
function drafted({ who, because, may }: Answerer, part: Part): string {
  const { run, approval, reading } = part;
  const by = `${who}${withRun(run)}`;
  const time = approval?.decidedAt ? ` ${when(approval.decidedAt, reading)}` : '';
  switch (approval?.state ?? 'gone') {
    case 'approved':
      return `Answered by ${by}, ${because}${may}, with a draft that you approved${time}${after(part)}.`;
    case 'pending': {
      const last = approval?.expiresAt ? ` before ${moment(approval.expiresAt, reading)}` : '';
      return `Waits: ${by} drafted an answer, ${because}${may}, and it needs your yes under \`relay approvals\`${last}.`;
    }
    case 'rejected':
      return `Not answered: ${by} drafted an answer, ${because}${may}, and you rejected it${time}.`;
    case 'expired':
      return `Not answered: ${by} drafted an answer, ${because}${may}, and ${lapsed(approval)}.`;
    case 'gone':
      return `Not answered: ${by} drafted an answer, ${because}${may}, and it was never approved.`;
  }
}
