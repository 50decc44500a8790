// The state of a conversation as a badge: icon and word. Used by the board, the list and the conversation itself.
import type { ConversationInstance } from '@relay/contract/api/instances';
import type { InstanceState } from '@relay/contract/conversation/states';
import {
  IconCircleCheck,
  IconCircleDotted,
  IconCircleX,
  IconClipboardCheck,
  IconClockUp,
  IconHandStop,
  IconHourglass,
  IconMessageDown,
  IconMessageOff,
  IconPlayerPause,
  IconStack2,
  IconWriting,
} from '@tabler/icons-react';
import { Badge, type StateDisplay } from './marks.tsx';

export const STATE_DISPLAY: Readonly<Record<InstanceState, StateDisplay>> = {
  NEEDS_HUMAN_INTERVENTION: { word: 'Needs you', hue: 'you', icon: IconHandStop },
  CREATED: { word: 'Starting', hue: 'agent', icon: IconCircleDotted },
  ACTIVE: { word: 'Writing', hue: 'agent', icon: IconWriting },
  WAITING_FOR_AGENT: { word: 'Reply arrived', hue: 'agent', icon: IconMessageDown },
  HEARTBEAT_SCHEDULED: { word: 'Follow-up due', hue: 'agent', icon: IconClockUp },
  WAITING_FOR_REPLY: { word: 'Waiting for reply', hue: 'them', icon: IconHourglass },
  QUEUED: { word: 'In line', hue: 'parked', icon: IconStack2 },
  PAUSED: { word: 'Paused', hue: 'parked', icon: IconPlayerPause },
  COMPLETED: { word: 'Done', hue: 'ok', icon: IconCircleCheck },
  ABANDONED: { word: 'No answer', hue: 'held', icon: IconMessageOff },
  FAILED: { word: 'Failed', hue: 'bad', icon: IconCircleX },
};

type InstanceWithState = Pick<ConversationInstance, 'state' | 'failure_reason'>;

/** A conversation that the owner ended did not fail. */
export const stateWord = ({ state, failure_reason }: InstanceWithState): string =>
  failure_reason === 'cancelled' ? 'Cancelled' : STATE_DISPLAY[state].word;

export function StateBadge({ instance }: { readonly instance: InstanceWithState }) {
  const { hue, icon } = STATE_DISPLAY[instance.state];
  return (
    <Badge hue={hue} icon={icon}>
      {stateWord(instance)}
    </Badge>
  );
}

/** Beside the state of a conversation with a pending approval. */
export function ApprovalBadge() {
  return (
    <Badge hue="you" icon={IconClipboardCheck}>
      Your yes
    </Badge>
  );
}
