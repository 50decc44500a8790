// `relay get`: everything about one conversation, with its todos drawn. Pure.
import type { ConversationInstance, StateTransition, Todo } from '@relay/core/api/instances';
import { STATES, UNSENT } from '@relay/core/conversation/states';
import { clock, count, duration, oneLine, printable, roughly } from '../format.ts';
import { wrap } from '../width.ts';
import type { Look } from './table.ts';
import { type Colours, coloured, commandsNow, contactOf, doneTodos } from './words.ts';

const BAR = 20;
const NAMES = 13;
const INDENT = 2;
export const LAST_STEPS = 10;

export function card(
  instance: ConversationInstance,
  steps: readonly StateTransition[],
  look: Look & { readonly all: boolean },
): string[] {
  const { colours } = look;
  const { state, reason } = instance;
  const columns = Math.max(20, (look.columns ?? 100) - INDENT - NAMES);
  const part = (name: string, lines: readonly string[]): string[] =>
    lines.map((line, index) => {
      const label = (index === 0 ? name : '').padEnd(NAMES);
      return `${' '.repeat(INDENT)}${colours.dim(label)}${line}`;
    });
  const text = (name: string, value: string) => part(name, wrap(printable(value), columns));
  // In some states the reason says how things stand, instead of the state's own sentence.
  const sentence = state in UNSENT ? reason : STATES[state];
  const shown = look.all ? steps : steps.slice(-LAST_STEPS);
  return [
    `${coloured(instance.state, '●', colours)} ${colours.bold(coloured(instance.state, instance.state, colours))}`,
    ...wrap(printable(sentence), columns + NAMES).map((line) => `  ${line}`),
    '',
    ...(reason === sentence ? [] : text('Why', reason)),
    ...text('Objective', instance.objective),
    ...part('Contact', [contactOf(instance)]),
    ...part('Todos', todoLines(instance, columns, colours)),
    ...part('Follow-ups', followUpLines(instance, look.now)),
    ...instance.facts.flatMap((fact, index) => text(index === 0 ? 'May be told' : '', fact)),
    ...(instance.unread === 0
      ? []
      : part('Unread', [`${count(instance.unread, 'message')} that the agent has not read`])),
    ...part('Created', [moment(instance.created_at, look.now)]),
    ...part('Changed', [moment(instance.updated_at, look.now)]),
    ...part('Id', [instance.id]),
    ...part('Steps', stepLines(shown, steps.length - shown.length, look)),
    ...part('You can', commandsNow(instance)),
  ];
}

const MARKS: Readonly<Record<Todo['status'], readonly [string, keyof Colours]>> = {
  completed: ['✓', 'green'],
  in_progress: ['◐', 'cyan'],
  pending: ['○', 'dim'],
  skipped: ['–', 'dim'],
};

function todoLines(instance: ConversationInstance, columns: number, colours: Colours): string[] {
  const { todos } = instance;
  if (todos.length === 0) return ['none'];
  return [
    bar(doneTodos(instance), todos.length, colours),
    ...todos.flatMap(({ text, status }) => {
      const [sign, colour] = MARKS[status];
      return wrap(oneLine(text), columns - 2).map(
        (line, index) => `${index === 0 ? colours[colour](sign) : ' '} ${line}`,
      );
    }),
  ];
}

export function bar(done: number, all: number, colours: Pick<Colours, 'green' | 'dim'>): string {
  const full = all === 0 ? 0 : Math.floor((done / all) * BAR);
  const drawn = colours.green('█'.repeat(full)) + colours.dim('░'.repeat(BAR - full));
  return `${drawn} ${done} of ${all} done`;
}

function followUpLines(instance: ConversationInstance, now: number): string[] {
  const { heartbeat_config: config, follow_up_count: sent, next_follow_up_at: at } = instance;
  const most = config.max_followups;
  const every = duration(config.interval_ms / 1_000);
  const rule =
    most === 0
      ? `none; it gives up after ${every} without an answer`
      : `after ${every} without an answer, ${most} at most${sent === 0 ? '' : `; ${sent} since the last one`}`;
  if (at === null) return [rule];
  return [rule, `${sent >= most ? 'gives up' : 'the next'} ${moment(at, now)}`];
}

function moment(at: string, now: number): string {
  const away = Date.parse(at) - now;
  const near = away > 0 ? `in ${roughly(away)}` : `${roughly(-away)} ago`;
  return `${near} (${clock(new Date(at), new Date(now))})`;
}

function stepLines(steps: readonly StateTransition[], hidden: number, look: Look): string[] {
  const lines = steps.map(({ from_state, to_state, trigger, timestamp }) => {
    const time = clock(new Date(timestamp), new Date(look.now));
    const to = coloured(to_state, to_state, look.colours);
    return `${time}  ${from_state} → ${to}  ${look.colours.dim(printable(trigger))}`;
  });
  if (hidden > 0) lines.unshift(look.colours.dim(`… ${hidden} before; \`--all\` shows them`));
  return lines.length === 0 ? ['none yet'] : lines;
}
