// A conversation as it is being written, before there is one. Pure: what a template makes of it, what is still wrong
// with it, and what the daemon is asked for. Nothing here is lost on the way to or from text.
import type { CreateInstanceRequest } from '@relay/core/api/instances';
import { HEARTBEAT_DEFAULTS, LIMITS } from '@relay/core/conversation/limits';
import { grouped } from '../../parts/numbers.ts';
import type { Template } from './templates.ts';

/** A line of a list; the key stays with it while it is moved. */
export interface Line {
  readonly key: string;
  /** Of a fact out of a template: what it is about. */
  readonly label?: string;
  readonly example?: string;
  readonly text: string;
}

export interface Recipient {
  /** Null for a number that nobody is known by. */
  readonly id: string | null;
  readonly name: string | null;
  /** Digits. */
  readonly phone: string;
}

export interface Draft {
  readonly template: string;
  readonly objective: string;
  readonly recipient: Recipient | null;
  readonly todos: readonly Line[];
  readonly facts: readonly Line[];
  readonly everyMs: number;
  readonly most: number;
}

export const BLANK: Draft = {
  template: 'blank',
  objective: '',
  recipient: null,
  todos: [{ key: 'todo-1', text: '' }],
  facts: [],
  everyMs: HEARTBEAT_DEFAULTS.interval_ms,
  most: HEARTBEAT_DEFAULTS.max_followups,
};

/** The recipient stays: a template is about the matter. */
export function fromTemplate(template: Template | undefined, { recipient }: Draft): Draft {
  if (template === undefined) return { ...BLANK, recipient };
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

/** Whether choosing another template would take words away. */
export function isTouched(draft: Draft, template: Template | undefined): boolean {
  const { objective, todos, facts } = fromTemplate(template, draft);
  return JSON.stringify([objective, todos, facts]) !== JSON.stringify(wordsOf(draft));
}

const wordsOf = ({ objective, todos, facts }: Draft) => [objective, todos, facts];

export function moved(lines: readonly Line[], from: number, to: number): readonly Line[] {
  const line = lines[from];
  if (line === undefined || lines[to] === undefined) return lines;
  return lines.toSpliced(from, 1).toSpliced(to, 0, line);
}

export function added(lines: readonly Line[], kind: 'todo' | 'fact'): readonly Line[] {
  const numbers = lines.map(({ key }) => Number(key.split('-')[1]));
  return [...lines, { key: `${kind}-${Math.max(0, ...numbers) + 1}`, text: '' }];
}

export type Wrong = Partial<
  Record<'objective' | 'recipient' | 'everyMs' | 'most' | string, string>
>;

/** What is still missing or too much, by field; the key of a line is its field. */
export function wrongWith({ objective, recipient, todos, facts, everyMs, most }: Draft): Wrong {
  const wrong: Record<string, string> = {};
  if (objective.trim() === '') wrong.objective = 'Say what is to be reached.';
  else if (objective.includes('…')) wrong.objective = 'Say what the … stands for.';
  else if (objective.length > LIMITS.objective) wrong.objective = tooLong(LIMITS.objective);
  if (recipient === null) wrong.recipient = 'Choose somebody, or give a number.';
  for (const line of todos)
    if (line.text.length > LIMITS.todo) wrong[line.key] = tooLong(LIMITS.todo);
  for (const line of facts)
    if (factOf(line).length > LIMITS.fact) wrong[line.key] = tooLong(LIMITS.fact);
  if (!(everyMs >= LIMITS.shortestIntervalMs && everyMs <= LIMITS.longestIntervalMs))
    wrong.everyMs = 'Between a second and 30 days.';
  if (!(Number.isInteger(most) && most >= 0 && most <= LIMITS.followups))
    wrong.most = `Between 0 and ${LIMITS.followups}.`;
  return wrong;
}

const tooLong = (most: number) => `At most ${grouped(most)} characters.`;

const factOf = ({ label, text }: Line): string =>
  label === undefined ? text.trim() : `${label}: ${text.trim()}`;

/** Lines that were left empty are not handed in. */
const filled = (lines: readonly Line[]) => lines.filter(({ text }) => text.trim() !== '');

export const requestOf = (draft: Draft) =>
  ({
    objective: draft.objective.trim(),
    target_contact: `+${draft.recipient?.phone ?? ''}`,
    todos: filled(draft.todos).map(({ text }) => ({ text: text.trim() })),
    facts: filled(draft.facts).map(factOf),
    heartbeat_config: { interval_ms: draft.everyMs, max_followups: draft.most },
  }) satisfies CreateInstanceRequest;

/** What was kept; null for whatever cannot be read as a draft of this version. */
export function readDraft(text: string | null): Draft | null {
  try {
    const kept: unknown = JSON.parse(text ?? 'null');
    return isDraft(kept) ? kept : null;
  } catch {
    return null;
  }
}

function isDraft(kept: unknown): kept is Draft {
  if (typeof kept !== 'object' || kept === null) return false;
  const { template, objective, recipient, todos, facts, everyMs, most } = kept as Draft;
  const areLines = [todos, facts].every(
    (lines) =>
      Array.isArray(lines) &&
      lines.every((line: Line) => typeof line?.key === 'string' && typeof line.text === 'string'),
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
