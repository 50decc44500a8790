// The state of a conversation as a badge: icon and word. Used by the board, the list and the conversation itself. It is
// always the current state: a button never contains the badge of the state that it leads to.
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
import { t } from '../i18n.ts';
import { Badge, type StateDisplay } from './marks.tsx';

const STATE_DISPLAY: Readonly<Record<InstanceState, StateDisplay>> = {
  NEEDS_HUMAN_INTERVENTION: {
    label: 'common.conversation.state.NEEDS_HUMAN_INTERVENTION',
    hue: 'you',
    icon: IconHandStop,
  },
  CREATED: { label: 'common.conversation.state.CREATED', hue: 'agent', icon: IconCircleDotted },
  ACTIVE: { label: 'common.conversation.state.ACTIVE', hue: 'agent', icon: IconWriting },
  WAITING_FOR_AGENT: {
    label: 'common.conversation.state.WAITING_FOR_AGENT',
    hue: 'agent',
    icon: IconMessageDown,
  },
  HEARTBEAT_SCHEDULED: {
    label: 'common.conversation.state.HEARTBEAT_SCHEDULED',
    hue: 'agent',
    icon: IconClockUp,
  },
  WAITING_FOR_REPLY: {
    label: 'common.conversation.state.WAITING_FOR_REPLY',
    hue: 'them',
    icon: IconHourglass,
  },
  QUEUED: { label: 'common.conversation.state.QUEUED', hue: 'parked', icon: IconStack2 },
  PAUSED: { label: 'common.conversation.state.PAUSED', hue: 'parked', icon: IconPlayerPause },
  COMPLETED: { label: 'common.conversation.state.COMPLETED', hue: 'ok', icon: IconCircleCheck },
  ABANDONED: { label: 'common.conversation.state.ABANDONED', hue: 'held', icon: IconMessageOff },
  FAILED: { label: 'common.conversation.state.FAILED', hue: 'bad', icon: IconCircleX },
};

type InstanceWithState = Pick<ConversationInstance, 'state' | 'failure_reason'>;

const CANCELLED: StateDisplay = {
  label: 'common.conversation.state.cancelled',
  hue: 'parked',
  icon: IconCircleX,
};

/** A conversation that the owner cancelled did not fail. */
export const stateDisplay = ({ state, failure_reason }: InstanceWithState): StateDisplay =>
  failure_reason === 'cancelled' ? CANCELLED : STATE_DISPLAY[state];

export const stateWord = (instance: InstanceWithState): string => t(stateDisplay(instance).label);

export function StateBadge({ instance }: { readonly instance: InstanceWithState }) {
  const { hue, icon } = stateDisplay(instance);
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
      {t('common.conversation.approvalPending')}
    </Badge>
  );
}
