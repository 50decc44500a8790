// A conversation in words: its state in its colour, its todos, when it follows up, what can be done now.
// Pure.
import type { ConversationInstance } from '@relay/core/api/instances';
import type { EventType } from '@relay/core/conversation/events';
import { type InstanceState, isTerminal } from '@relay/core/conversation/states';
import { legalEvents } from '@relay/core/conversation/table';
import { phone, printable, roughly } from '../format.ts';
import type { Terminal } from '../terminal.ts';
import { shortId } from './find.ts';

export type Colours = Pick<
  Terminal['colours'],
  'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan' | 'magenta' | 'blue'
>;

const COLOUR: Readonly<Record<InstanceState, keyof Colours>> = {
  CREATED: 'cyan',
  QUEUED: 'dim',
  ACTIVE: 'cyan',
  WAITING_FOR_REPLY: 'blue',
  WAITING_FOR_AGENT: 'cyan',
  HEARTBEAT_SCHEDULED: 'cyan',
  PAUSED: 'magenta',
  NEEDS_HUMAN_INTERVENTION: 'yellow',
  COMPLETED: 'green',
  ABANDONED: 'red',
  FAILED: 'red',
};

export const coloured = (state: InstanceState, text: string, colours: Colours): string =>
  colours[COLOUR[state]](text);

export const needsOwner = ({ state }: Pick<ConversationInstance, 'state'>): boolean =>
  state === 'NEEDS_HUMAN_INTERVENTION';

export const contactOf = ({ target_contact }: ConversationInstance): string =>
  phone(printable(target_contact).trim());

/** Skipped is done too: nobody will come back to it. */
export const doneTodos = ({ todos }: ConversationInstance): number =>
  todos.filter(({ status }) => status === 'completed' || status === 'skipped').length;

export function followUp(instance: ConversationInstance, now: number): string {
  const { follow_up_count: sent, heartbeat_config, next_follow_up_at: at } = instance;
  const most = heartbeat_config.max_followups;
  if (at === null) {
    return sent === 0 || isTerminal(instance.state) ? '' : `${sent} of ${most} sent`;
  }
  const left = Date.parse(at) - now;
  const when = left <= 0 ? 'now' : `in ${roughly(left)}`;
  return sent >= most ? `gives up ${when}` : `${when}, ${sent + 1} of ${most}`;
}

const COMMAND: Readonly<Partial<Record<EventType, (id: string) => string>>> = {
  resume: (id) => `relay resume ${id}`,
  manual_send: (id) => `relay send ${id} "…"`,
  pause: (id) => `relay pause ${id}`,
  cancel: (id) => `relay cancel ${id}`,
};

/** The commands that would be accepted now. */
export function commandsNow({ id, state }: Pick<ConversationInstance, 'id' | 'state'>): string[] {
  const legal = legalEvents(state);
  return (Object.keys(COMMAND) as EventType[])
    .filter((event) => legal.includes(event))
    .flatMap((event) => COMMAND[event]?.(shortId(id)) ?? []);
}

/** As the end of a sentence. */
export function possibleNow(instance: Pick<ConversationInstance, 'id' | 'state'>): string {
  const commands = commandsNow(instance).map((command) => `\`${command}\``);
  return commands.length === 0
    ? 'It has ended; `relay create` begins another.'
    : `Possible now: ${commands.join(', ')}.`;
}
