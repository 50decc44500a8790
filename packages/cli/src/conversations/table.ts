// `relay list`: a line for each conversation, those that need the owner first. Where the window is too
// narrow for that, two. Pure.
import type { ConversationInstance } from '@relay/core/api/instances';
import { isTerminal } from '@relay/core/conversation/states';
import { oneLine } from '../format.ts';
import { cut, pad, width } from '../width.ts';
import { shortId } from './find.ts';
import { type Colours, coloured, contactOf, doneTodos, followUp, needsOwner } from './words.ts';

export interface Look {
  /** Null where nobody looks: nothing is cut. */
  readonly columns: number | null;
  readonly colours: Colours;
  readonly now: number;
}

const HEAD = ['ID', 'CONTACT', 'STATE', 'TODOS', 'FOLLOW-UP', 'WHY'] as const;
/** Less room than this for the reason, and it gets a line of its own. */
const LEAST_FOR_REASON = 20;
const GAP = '  ';
const MARK = 2;

const rank = (instance: ConversationInstance): number => {
  if (needsOwner(instance)) return 0;
  return isTerminal(instance.state) ? 2 : 1;
};

/** Those that need the owner, those that go on, those that have ended; each as they came. */
export const inOrder = (instances: readonly ConversationInstance[]): ConversationInstance[] =>
  instances.toSorted((one, other) => rank(one) - rank(other));

export function table(instances: readonly ConversationInstance[], look: Look): string[] {
  const rows = instances.map((instance) => ({ instance, cells: cellsOf(instance, look.now) }));
  const widths = HEAD.slice(0, -1).map((name, column) =>
    Math.max(width(name), ...rows.map(({ cells }) => width(cells[column] ?? ''))),
  );
  const taken = MARK + widths.reduce((sum, one) => sum + one + GAP.length, 0);
  const room = look.columns === null ? Number.POSITIVE_INFINITY : look.columns - taken;
  if (room < LEAST_FOR_REASON) return rows.flatMap((row) => narrow(row, look));
  const head = HEAD.map((name, column) => pad(name, widths[column] ?? 0)).join(GAP);
  return [
    look.colours.dim(`${' '.repeat(MARK)}${head}`),
    ...rows.map(({ instance, cells }) => {
      const padded = cells.map((cell, column) => pad(cell, widths[column] ?? 0));
      const line = paint(instance, padded, look).join(GAP);
      return `${mark(instance, look)}${line}${GAP}${cut(oneLine(instance.reason), room)}`;
    }),
  ];
}

interface Row {
  readonly instance: ConversationInstance;
  readonly cells: readonly string[];
}

function narrow({ instance, cells }: Row, look: Look): string[] {
  const columns = look.columns ?? Number.POSITIVE_INFINITY;
  const [id = '', contact = '', state = '', todos = '', next = ''] = cells;
  const first = [
    id,
    cut(contact, Math.max(4, columns - MARK - id.length - width(state) - 4)),
    state,
  ];
  const detail = [todos === '' ? '' : `${todos} done`, next].filter(Boolean).join(', ');
  const why = oneLine(instance.reason);
  return [
    `${mark(instance, look)}${fitted(paint(instance, first, look), first, columns - MARK)}`,
    ...(detail === '' ? [] : [look.colours.dim(`    ${cut(detail, columns - 4)}`)]),
    `    ${cut(why, columns - 4)}`,
  ];
}

/** Colours only where all of it fits: what is cut must not lose the end of a colour. */
function fitted(painted: readonly string[], plain: readonly string[], columns: number): string {
  const line = painted.join(GAP);
  return width(line) <= columns ? line : cut(plain.join(GAP), columns);
}

const cellsOf = (instance: ConversationInstance, now: number): string[] => [
  shortId(instance.id),
  cut(contactOf(instance), 20),
  instance.state,
  instance.todos.length === 0 ? '' : `${doneTodos(instance)}/${instance.todos.length}`,
  followUp(instance, now),
];

const mark = (instance: ConversationInstance, { colours }: Look): string =>
  needsOwner(instance) ? `${colours.yellow('!')} ` : '  ';

function paint(
  { state }: ConversationInstance,
  [id = '', contact = '', shown = '', ...rest]: readonly string[],
  { colours }: Look,
): string[] {
  return [colours.bold(id), contact, coloured(state, shown, colours), ...rest];
}
