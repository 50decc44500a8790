// The outcome of a decision as a badge: icon, word and hue. An unknown outcome of a newer daemon is shown as is.
import type { LedgerLine } from '@relay/contract/api/ledger';
import {
  IconArrowForward,
  IconCheck,
  IconCircleDashed,
  IconClock,
  IconEraser,
  IconHandStop,
  IconLock,
  IconMessageReply,
  IconPencil,
  IconStack2,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react';
import { t } from '../i18n.ts';
import type { Hue } from '../theme/theme.ts';
import type { StateDisplay } from './marks.tsx';

interface OutcomeDisplay {
  readonly word: string;
  readonly hue: Hue;
  readonly icon: TablerIcon;
}

const OUTCOME_DISPLAY: Readonly<Record<string, StateDisplay>> = {
  allow: { label: 'common.outcome.allow', hue: 'ok', icon: IconCheck },
  answered: { label: 'common.outcome.answered', hue: 'agent', icon: IconMessageReply },
  deny: { label: 'common.outcome.deny', hue: 'held', icon: IconLock },
  erased: { label: 'common.outcome.erased', hue: 'parked', icon: IconEraser },
  handed_over: { label: 'common.outcome.handed_over', hue: 'agent', icon: IconArrowForward },
  ignored: { label: 'common.outcome.ignored', hue: 'parked', icon: IconCircleDashed },
  needs_approval: { label: 'common.outcome.needs_approval', hue: 'you', icon: IconHandStop },
  queued: { label: 'common.outcome.queued', hue: 'parked', icon: IconStack2 },
  skipped: { label: 'common.outcome.skipped', hue: 'parked', icon: IconCircleDashed },
  stopped: { label: 'common.outcome.stopped', hue: 'held', icon: IconLock },
  stored: { label: 'common.outcome.stored', hue: 'parked', icon: IconCircleDashed },
  unanswered: { label: 'common.outcome.unanswered', hue: 'parked', icon: IconCircleDashed },
  waiting: { label: 'common.outcome.waiting', hue: 'agent', icon: IconClock },
};

function outcomeDisplay(outcome: string): OutcomeDisplay {
  const known = OUTCOME_DISPLAY[outcome];
  return known === undefined
    ? { word: outcome.replaceAll('_', ' '), hue: 'parked', icon: IconCircleDashed }
    : { word: t(known.label), hue: known.hue, icon: known.icon };
}

// A row of the ledger. The outcome of an answer to an approval is always `allow`, so the badge shows the answer.

const ANSWER_MARKS = {
  approve: { hue: 'ok', icon: IconCheck },
  reject: { hue: 'held', icon: IconX },
  edit: { hue: 'parked', icon: IconPencil },
} as const satisfies Record<string, Omit<OutcomeDisplay, 'word'>>;

type ApprovalAnswer = keyof typeof ANSWER_MARKS;

/** The owner's answer to an approval; null for every other row, and for an answer that this version does not know. */
export function approvalAnswer({
  action,
  outcome,
  detail,
}: Pick<LedgerLine, 'action' | 'outcome' | 'detail'>): ApprovalAnswer | null {
  const answer = String(detail.answer);
  const isAnswer =
    action === 'answer_approval' && outcome === 'allow' && Object.hasOwn(ANSWER_MARKS, answer);
  return isAnswer ? (answer as ApprovalAnswer) : null;
}

export function decisionDisplay(
  row: Pick<LedgerLine, 'action' | 'outcome' | 'detail'>,
): OutcomeDisplay {
  const answer = approvalAnswer(row);
  return answer === null
    ? outcomeDisplay(row.outcome)
    : { word: t(`common.decision.${answer}`), ...ANSWER_MARKS[answer] };
}
