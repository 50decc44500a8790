// The draft of a conversation. Pure: applies a template, validates, and builds the request. Converting to text and back
// loses nothing.

import { CONVERSATION_LIMITS, HEARTBEAT_DEFAULTS } from '@relay/contract/api/constants';
import type { CreateInstanceRequest } from '@relay/contract/api/instances';
import { type TextId, t } from '../../i18n.ts';

/** A line of a list; its key stays the same while it is moved. */
export interface DraftLine {
  readonly key: string;
  /** For a fact from a template: its label. */
  readonly label?: string;
  readonly example?: string;
  readonly text: string;
}

export interface DraftRecipient {
  /** Null for an unknown number. */
  readonly id: string | null;
  readonly name: string | null;
  /** Digits. */
  readonly phone: string;
}

export interface ConversationDraft {
  readonly template: string;
  readonly objective: string;
  readonly recipient: DraftRecipient | null;
  readonly todos: readonly DraftLine[];
  readonly facts: readonly DraftLine[];
  readonly everyMs: number;
  readonly most: number;
}

export const BLANK_DRAFT: ConversationDraft = {
  template: 'blank',
  objective: '',
  recipient: null,
  todos: [{ key: 'todo-1', text: '' }],
  facts: [],
  everyMs: HEARTBEAT_DEFAULTS.interval_ms,
  most: HEARTBEAT_DEFAULTS.max_followups,
};

/** Keeps the recipient: a template only covers the subject. */
export function draftFromTemplate(
  template: ConversationTemplate | undefined,
  { recipient }: ConversationDraft,
): ConversationDraft {
  if (template === undefined) return { ...BLANK_DRAFT, recipient };
  return {
    template: template.id,
    objective: t(template.objective),
    recipient,
    todos: template.todos.map((id, index) => ({ key: `todo-${index + 1}`, text: t(id) })),
    facts: template.facts.map(({ label, example }, index) => ({
      key: `fact-${index + 1}`,
      label: t(label),
      example: t(example),
      text: '',
    })),
    everyMs: template.followUps.everyMs,
    most: template.followUps.most,
  };
}

/** Whether choosing another template would discard text. */
export function differsFromTemplate(
  draft: ConversationDraft,
  template: ConversationTemplate | undefined,
): boolean {
  const { objective, todos, facts } = draftFromTemplate(template, draft);
  return JSON.stringify([objective, todos, facts]) !== JSON.stringify(draftTexts(draft));
}

const draftTexts = ({ objective, todos, facts }: ConversationDraft) => [objective, todos, facts];

export function moveDraftLine(
  lines: readonly DraftLine[],
  from: number,
  to: number,
): readonly DraftLine[] {
  const line = lines[from];
  if (line === undefined || lines[to] === undefined) return lines;
  return lines.toSpliced(from, 1).toSpliced(to, 0, line);
}

export type DraftLinesKind = 'todos' | 'facts';

const KEY_PREFIXES: Readonly<Record<DraftLinesKind, string>> = { todos: 'todo', facts: 'fact' };

export function addDraftLine(
  lines: readonly DraftLine[],
  kind: DraftLinesKind,
): readonly DraftLine[] {
  const numbers = lines.map(({ key }) => Number(key.split('-')[1]));
  return [...lines, { key: `${KEY_PREFIXES[kind]}-${Math.max(0, ...numbers) + 1}`, text: '' }];
}

export type DraftErrors = Partial<
  Record<'objective' | 'recipient' | 'everyMs' | 'most' | string, string>
>;

/** Missing or too long values by field; the key of a line is its field. */
export function validateDraft({
  objective,
  recipient,
  todos,
  facts,
  everyMs,
  most,
}: ConversationDraft): DraftErrors {
  const wrong: Record<string, string> = {};
  if (objective.trim() === '') wrong.objective = t('conversations.form.goal.missing');
  else if (objective.includes('…')) wrong.objective = t('conversations.form.goal.incomplete');
  else if (objective.length > CONVERSATION_LIMITS.objective)
    wrong.objective = tooLong(CONVERSATION_LIMITS.objective);
  if (recipient === null) wrong.recipient = t('conversations.form.contact.missing');
  for (const line of todos)
    if (line.text.length > CONVERSATION_LIMITS.todo)
      wrong[line.key] = tooLong(CONVERSATION_LIMITS.todo);
  for (const line of facts)
    if (factOf(line).length > CONVERSATION_LIMITS.fact)
      wrong[line.key] = tooLong(CONVERSATION_LIMITS.fact);
  if (
    !(
      everyMs >= CONVERSATION_LIMITS.shortestIntervalMs &&
      everyMs <= CONVERSATION_LIMITS.longestIntervalMs
    )
  )
    wrong.everyMs = t('conversations.form.followUps.wait.invalid');
  if (!(Number.isInteger(most) && most >= 0 && most <= CONVERSATION_LIMITS.followups))
    wrong.most = t('conversations.form.followUps.max.invalid', {
      max: CONVERSATION_LIMITS.followups,
    });
  return wrong;
}

const tooLong = (max: number) => t('conversations.form.tooLong', { max });

const factOf = ({ label, text }: DraftLine): string =>
  label === undefined ? text.trim() : `${label}: ${text.trim()}`;

/** Empty lines are not sent. */
const withoutEmpty = (lines: readonly DraftLine[]) =>
  lines.filter(({ text }) => text.trim() !== '');

export const toCreateRequest = (draft: ConversationDraft) =>
  ({
    objective: draft.objective.trim(),
    target_contact: `+${draft.recipient?.phone ?? ''}`,
    todos: withoutEmpty(draft.todos).map(({ text }) => ({ text: text.trim() })),
    facts: withoutEmpty(draft.facts).map(factOf),
    heartbeat_config: { interval_ms: draft.everyMs, max_followups: draft.most },
  }) satisfies CreateInstanceRequest;

/** The stored draft; null for anything that is not a draft of this version. */
export function readDraft(text: string | null): ConversationDraft | null {
  try {
    const kept: unknown = JSON.parse(text ?? 'null');
    return isDraft(kept) ? kept : null;
  } catch {
    return null;
  }
}

function isDraft(kept: unknown): kept is ConversationDraft {
  if (typeof kept !== 'object' || kept === null) return false;
  const { template, objective, recipient, todos, facts, everyMs, most } = kept as ConversationDraft;
  const areLines = [todos, facts].every(
    (lines) =>
      Array.isArray(lines) &&
      lines.every(
        (line: DraftLine) => typeof line?.key === 'string' && typeof line.text === 'string',
      ),
  );
  const isSomebody =
    recipient === null || (typeof recipient === 'object' && typeof recipient.phone === 'string');
  return (
    [template, objective].every((word) => typeof word === 'string') &&
    [everyMs, most].every((number) => typeof number === 'number') &&
    areLines &&
    isSomebody
  );
}

// Templates for common conversations: ids of texts. A template only fills in the form; `…` marks what the owner must
// complete, and an empty fact is not sent.

interface ConversationTemplate {
  readonly id: string;
  readonly title: TextId;
  readonly objective: TextId;
  readonly todos: readonly TextId[];
  /** Facts that the contact will ask about. */
  readonly facts: readonly { readonly label: TextId; readonly example: TextId }[];
  readonly followUps: { readonly everyMs: number; readonly most: number };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const CONVERSATION_TEMPLATES: readonly ConversationTemplate[] = [
  {
    id: 'quote',
    title: 'conversations.template.quote.title',
    objective: 'conversations.template.quote.goal',
    todos: [
      'conversations.template.quote.todo.price',
      'conversations.template.quote.todo.date',
      'conversations.template.quote.todo.validity',
    ],
    facts: [
      {
        label: 'conversations.template.quote.subject',
        example: 'conversations.template.quote.subject.example',
      },
      {
        label: 'conversations.template.quote.where',
        example: 'conversations.template.quote.where.example',
      },
      {
        label: 'conversations.template.quote.deadline',
        example: 'conversations.template.quote.deadline.example',
      },
    ],
    followUps: { everyMs: DAY_MS, most: 3 },
  },
  {
    id: 'appointment',
    title: 'conversations.template.appointment.title',
    objective: 'conversations.template.appointment.goal',
    todos: [
      'conversations.template.appointment.todo.time',
      'conversations.template.appointment.todo.place',
      'conversations.template.appointment.todo.bring',
    ],
    facts: [
      {
        label: 'conversations.template.appointment.name',
        example: 'conversations.template.appointment.name.example',
      },
      {
        label: 'conversations.template.appointment.times',
        example: 'conversations.template.appointment.times.example',
      },
      {
        label: 'conversations.template.appointment.noTimes',
        example: 'conversations.template.appointment.noTimes.example',
      },
    ],
    followUps: { everyMs: 4 * HOUR_MS, most: 3 },
  },
  {
    id: 'invoice',
    title: 'conversations.template.invoice.title',
    objective: 'conversations.template.invoice.goal',
    todos: [
      'conversations.template.invoice.todo.arrived',
      'conversations.template.invoice.todo.date',
    ],
    facts: [
      {
        label: 'conversations.template.invoice.number',
        example: 'conversations.template.invoice.number.example',
      },
      {
        label: 'conversations.template.invoice.amount',
        example: 'conversations.template.invoice.amount.example',
      },
      {
        label: 'conversations.template.invoice.due',
        example: 'conversations.template.invoice.due.example',
      },
    ],
    followUps: { everyMs: 3 * DAY_MS, most: 4 },
  },
  {
    id: 'meeting',
    title: 'conversations.template.meeting.title',
    objective: 'conversations.template.meeting.goal',
    todos: [
      'conversations.template.meeting.todo.time',
      'conversations.template.meeting.todo.place',
    ],
    facts: [
      {
        label: 'conversations.template.meeting.times',
        example: 'conversations.template.meeting.times.example',
      },
      {
        label: 'conversations.template.meeting.place',
        example: 'conversations.template.meeting.place.example',
      },
    ],
    followUps: { everyMs: 4 * HOUR_MS, most: 3 },
  },
  {
    id: 'document',
    title: 'conversations.template.document.title',
    objective: 'conversations.template.document.goal',
    todos: [
      'conversations.template.document.todo.document',
      'conversations.template.document.todo.check',
    ],
    facts: [
      {
        label: 'conversations.template.document.which',
        example: 'conversations.template.document.which.example',
      },
      {
        label: 'conversations.template.document.purpose',
        example: 'conversations.template.document.purpose.example',
      },
      {
        label: 'conversations.template.document.deadline',
        example: 'conversations.template.document.deadline.example',
      },
    ],
    followUps: { everyMs: DAY_MS, most: 4 },
  },
];

export const findTemplate = (id: string): ConversationTemplate | undefined =>
  CONVERSATION_TEMPLATES.find((template) => template.id === id);

// Waiting times as text. Pure.

export type IntervalUnit = 'seconds' | 'minutes' | 'hours' | 'days';

export const INTERVAL_UNITS: Readonly<Record<IntervalUnit, number>> = {
  seconds: 1_000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

/** Uses the largest unit that gives a whole number. */
export function splitInterval(ms: number): { readonly n: number; readonly unit: IntervalUnit } {
  const units = Object.keys(INTERVAL_UNITS) as IntervalUnit[];
  const fits = (unit: IntervalUnit) =>
    ms >= INTERVAL_UNITS[unit] && ms % INTERVAL_UNITS[unit] === 0;
  const unit = units.findLast(fits) ?? 'seconds';
  return { n: ms / INTERVAL_UNITS[unit], unit };
}

/** What happens without a reply. */
export function followUpText(everyMs: number, most: number): string {
  const { n, unit } = splitInterval(everyMs);
  const wait = t(`conversations.wait.${unit}`, { count: n });
  return most === 0
    ? t('conversations.form.followUps.none', { wait })
    : t('conversations.form.followUps.some', { wait, max: most });
}
