// The draft of a conversation. Pure: applies a template, validates, and builds the request. Converting to text and back
// loses nothing.

import { CONVERSATION_LIMITS, HEARTBEAT_DEFAULTS } from '@relay/contract/api/constants';
import type { CreateInstanceRequest } from '@relay/contract/api/instances';
import { groupDigits, plural } from '../../parts/format.ts';

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
    objective: template.objective,
    recipient,
    todos: template.todos.map((text, index) => ({ key: `todo-${index + 1}`, text })),
    facts: template.facts.map((fact, index) => ({ key: `fact-${index + 1}`, ...fact, text: '' })),
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

export function addDraftLine(
  lines: readonly DraftLine[],
  kind: 'todo' | 'fact',
): readonly DraftLine[] {
  const numbers = lines.map(({ key }) => Number(key.split('-')[1]));
  return [...lines, { key: `${kind}-${Math.max(0, ...numbers) + 1}`, text: '' }];
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
  if (objective.trim() === '') wrong.objective = 'Say what is to be reached.';
  else if (objective.includes('…')) wrong.objective = 'Say what the … stands for.';
  else if (objective.length > CONVERSATION_LIMITS.objective)
    wrong.objective = tooLong(CONVERSATION_LIMITS.objective);
  if (recipient === null) wrong.recipient = 'Choose somebody, or give a number.';
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
    wrong.everyMs = 'Between a second and 30 days.';
  if (!(Number.isInteger(most) && most >= 0 && most <= CONVERSATION_LIMITS.followups))
    wrong.most = `Between 0 and ${CONVERSATION_LIMITS.followups}.`;
  return wrong;
}

const tooLong = (most: number) => `At most ${groupDigits(most)} characters.`;

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

// Templates for common conversations: pure data. A template only fills in the form; `…` marks what the owner must
// complete, and an empty fact is not sent.

interface ConversationTemplate {
  readonly id: string;
  readonly title: string;
  readonly objective: string;
  readonly todos: readonly string[];
  /** Facts that the contact will ask about. */
  readonly facts: readonly { readonly label: string; readonly example: string }[];
  readonly followUps: { readonly everyMs: number; readonly most: number };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const CONVERSATION_TEMPLATES: readonly ConversationTemplate[] = [
  {
    id: 'quote',
    title: 'Get a quote',
    objective: 'Get a quote for …',
    todos: ['A price, with what it includes', 'When it could be done', 'How long the quote holds'],
    facts: [
      { label: 'What it is about', example: 'The tap in the kitchen leaks' },
      { label: 'Where', example: '12 Mill Lane, second floor' },
      { label: 'By when', example: 'Before the end of the month' },
    ],
    followUps: { everyMs: DAY_MS, most: 3 },
  },
  {
    id: 'appointment',
    title: 'Book an appointment',
    objective: 'Book an appointment for …',
    todos: ['A day and a time', 'Where it takes place', 'What to bring'],
    facts: [
      { label: 'For whom', example: 'Alex Moore' },
      { label: 'Times that work', example: 'Tuesday or Thursday after 16:00' },
      { label: 'Times that do not', example: 'Not next week' },
    ],
    followUps: { everyMs: 4 * HOUR_MS, most: 3 },
  },
  {
    id: 'invoice',
    title: 'Chase an invoice',
    objective: 'Find out when invoice … will be paid',
    todos: ['That the invoice arrived', 'A date for the payment'],
    facts: [
      { label: 'Invoice', example: '2026-117 of 3 November' },
      { label: 'Amount', example: '€1,240' },
      { label: 'Due on', example: '17 November' },
    ],
    followUps: { everyMs: 3 * DAY_MS, most: 4 },
  },
  {
    id: 'meeting',
    title: 'Arrange a meeting',
    objective: 'Agree on a time to meet about …',
    todos: ['A day and a time', 'Where to meet'],
    facts: [
      { label: 'Times that work', example: 'Wednesday all day, Friday before noon' },
      { label: 'Place', example: 'The café at the station, or a call' },
    ],
    followUps: { everyMs: 4 * HOUR_MS, most: 3 },
  },
  {
    id: 'document',
    title: 'Ask for a document',
    objective: 'Ask for …',
    todos: ['The document, or when it will come', 'That it is the one that was asked for'],
    facts: [
      { label: 'Which document', example: 'The heating bill of 2025' },
      { label: 'What for', example: 'The tax return' },
      { label: 'By when', example: '30 November' },
    ],
    followUps: { everyMs: DAY_MS, most: 4 },
  },
];

export const findTemplate = (id: string): ConversationTemplate | undefined =>
  CONVERSATION_TEMPLATES.find((template) => template.id === id);

// Waiting times as text. Pure.

export const INTERVAL_UNITS: Readonly<Record<string, number>> = {
  seconds: 1_000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

/** Uses the largest unit that gives a whole number. */
export function splitInterval(ms: number): { readonly n: number; readonly unit: string } {
  const [unit = 'seconds', size = 1_000] =
    Object.entries(INTERVAL_UNITS).findLast(([, each]) => ms >= each && ms % each === 0) ?? [];
  return { n: ms / size, unit };
}

export function followUpSentence(everyMs: number, most: number): string {
  const { n, unit } = splitInterval(everyMs);
  const wait = plural(n, unit.slice(0, -1));
  if (most === 0) return `If no answer comes within ${wait}, it gives up without asking again.`;
  const often = most === 1 ? 'once' : most === 2 ? 'twice' : `up to ${most} times`;
  return `If no answer comes within ${wait}, it asks again, ${often}. Then it gives up.`;
}
