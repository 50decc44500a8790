// How `relay create --wait` ends: one exit code for each way a conversation can end or stop. They are
// part of what programs rely on: never change one.
import type { ConversationInstance } from '@relay/core/api/instances';
import type { InstanceState } from '@relay/core/conversation/states';
import { oneLine } from '../format.ts';
import { type Colours, coloured, needsOwner, possibleNow } from './words.ts';

const EXITS: Readonly<Partial<Record<InstanceState, number>>> = {
  COMPLETED: 0,
  NEEDS_HUMAN_INTERVENTION: 10,
  FAILED: 11,
  ABANDONED: 12,
};

export const exitOf = ({ state }: ConversationInstance): number => EXITS[state] ?? 0;

export function outcome(instance: ConversationInstance, colours: Colours): string {
  const said = `${coloured(instance.state, instance.state, colours)}: ${oneLine(instance.reason)}`;
  return needsOwner(instance) ? `${said} ${possibleNow(instance)}` : said;
}
