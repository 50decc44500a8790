// The trigger set: its cases as phases 1 and 2 see them, and the score of a model's labels.

import { TRIGGER_CASE_LABELS, type TriggerCaseLabel } from '@relay/contract/api/constants';
import type { TriggerReport } from '@relay/contract/api/eval';
import { z } from 'zod';
import type { GroupMessage } from '../observer/message.ts';
import { type Addressee, mayBeAddressed } from '../observer/trigger/address.ts';
import type { TriggerLabel, TriggerQuestion } from '../observer/trigger/prompt.ts';
import { scoreOf, shareOf } from './score.ts';

const who = z.enum(['owner', 'other', 'assistant']);

export const triggerCaseSchema = z.object({
  id: z.string(),
  text: z.string(),
  /** The messages before it, oldest first. */
  context: z.array(z.object({ sender: who, senderName: z.string(), text: z.string() })),
  sender: z.enum(['owner', 'other']),
  expect: z.enum(TRIGGER_CASE_LABELS),
  respond: z.boolean(),
  quoted: z.object({ sender: who, text: z.string() }).optional(),
  forwarded: z.boolean().optional(),
  mentions: z.array(z.string()).optional(),
  assistantName: z.string().optional(),
  hard: z.boolean(),
});
export type TriggerCase = z.infer<typeof triggerCaseSchema>;

const USUAL_NAME = 'Annie';
const ASSISTANT_LID = '900000000000116@lid';
const QUOTED = 'quoted';

function caseAddressee({ assistantName, quoted }: TriggerCase): Addressee {
  return {
    name: assistantName ?? USUAL_NAME,
    jids: [ASSISTANT_LID],
    isAssistantMessage: (id) => id === QUOTED && quoted?.sender === 'assistant',
  };
}

export function caseTriggerQuestion(given: TriggerCase): TriggerQuestion {
  const { context, quoted, id } = given;
  return {
    who: caseAddressee(given),
    before: context.map((line, place) => said(`${id}-${place}`, line)),
    message: {
      ...said(id, { sender: given.sender, senderName: given.sender, text: given.text }),
      quotedId: quoted === undefined ? null : QUOTED,
      forwarded: given.forwarded ?? false,
      mentions: given.mentions ?? [],
    },
    quoted: quoted === undefined ? null : said(QUOTED, { ...quoted, senderName: quoted.sender }),
  };
}

export const passesPhaseOne = (given: TriggerCase): boolean =>
  mayBeAddressed(caseTriggerQuestion(given).message, caseAddressee(given));

const AT = new Date(0);

function said(
  id: string,
  { sender, senderName, text }: TriggerCase['context'][number],
): GroupMessage {
  return {
    id,
    at: AT,
    sender,
    senderName,
    fromOwner: sender === 'owner',
    fromAssistant: sender === 'assistant',
    kind: 'text',
    text,
    quotedId: null,
    forwarded: false,
    reactionTo: null,
    replaces: null,
    mentions: [],
  };
}

interface LabelledCase {
  readonly given: TriggerCase;
  /** The model's label; null if it was unreadable; missing if the model was not asked. */
  readonly label?: TriggerLabel | null;
}

export function triggerReport(sorted: readonly LabelledCase[]): TriggerReport {
  const hard = sorted.filter(({ given }) => given.hard);
  const asked = sorted.filter(({ label }) => label !== undefined);
  const read = asked.filter(({ label }) => label !== null);
  return {
    cases: sorted.length,
    asked: asked.length,
    ...phases(sorted),
    hard: { cases: hard.length, ...phases(hard) },
    answered_others: sorted.filter(
      ({ given, label }) => given.sender === 'other' && speaksUp(label),
    ).length,
    unread: asked.length - read.length,
    label_accuracy: shareOf(
      read.filter(({ given, label }) => given.expect === label).length,
      read.length,
    ),
    confusion: confusionOf(sorted),
  };
}

const speaksUp = (label: LabelledCase['label']): boolean => label === 'direct_request';

function phases(sorted: readonly LabelledCase[]): Pick<TriggerReport, 'phase_one' | 'both_phases'> {
  const score = (did: (each: LabelledCase) => boolean) =>
    scoreOf(sorted.map((each) => ({ should: each.given.respond, did: did(each) })));
  return {
    phase_one: score(({ label }) => label !== undefined),
    both_phases: score(({ label }) => speaksUp(label)),
  };
}

function confusionOf(sorted: readonly LabelledCase[]): TriggerReport['confusion'] {
  const owners = sorted.filter(({ given, label }) => given.sender === 'owner' && label !== null);
  const count = (was: TriggerCaseLabel, taken: TriggerCaseLabel) =>
    owners.filter(({ given, label }) => given.expect === was && (label ?? 'no_mention') === taken)
      .length;
  return perLabel((was) => perLabel((taken) => count(was, taken)));
}

function perLabel<Value>(
  value: (label: TriggerCaseLabel) => Value,
): Record<TriggerCaseLabel, Value> {
  return {
    direct_request: value('direct_request'),
    mention_only: value('mention_only'),
    false_positive: value('false_positive'),
    no_mention: value('no_mention'),
  };
}
