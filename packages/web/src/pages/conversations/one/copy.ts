// Texts of a conversation: the effect of each move of the owner, and each step of its history. Pure.
import type { StateTransition, TranscriptLine } from '@relay/contract/api/instances';
import { withoutApprovalsHint } from '@relay/core/approvals/approval-text';
import type {
  ConversationEventType,
  LegalMove,
  OwnersMove,
} from '@relay/core/conversation/transition-table';
import {
  IconPlayerPause,
  IconPlayerPlay,
  IconSend,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react';
import { formatFullTime } from '../../../parts/format.ts';
import type { TranscriptEntry } from '../../../parts/transcript/window.ts';

interface MoveCopy {
  readonly act: string;
  /** The effect. */
  readonly result: string;
  readonly icon: TablerIcon;
}

const MOVE_COPY: Readonly<Record<OwnersMove, MoveCopy>> = {
  manual_send: { act: 'Send', result: 'the agent goes on as before', icon: IconSend },
  resume: { act: 'Resume', result: 'it goes on where it was', icon: IconPlayerPlay },
  pause: { act: 'Pause', result: 'nothing is sent until you resume', icon: IconPlayerPause },
  cancel: { act: 'Cancel', result: 'ends it without a farewell; cannot be undone', icon: IconX },
};

/** When the agent has asked, the same moves return the conversation to it. */
const HANDING_BACK: Readonly<Partial<Record<OwnersMove, Partial<MoveCopy>>>> = {
  manual_send: { act: 'Send, then hand back', result: 'the agent goes on after you' },
  resume: { act: 'Hand back', result: 'the agent decides alone' },
};

/** For a conversation that had ended before the contact wrote again. */
const LEFT_ENDED: Partial<MoveCopy> = { act: 'Dismiss', result: 'it stays as it had ended' };

export function moveCopy({ move, to }: LegalMove): MoveCopy {
  if (to === 'ACTIVE') return { ...MOVE_COPY[move], ...HANDING_BACK[move] };
  return move === 'cancel' && to !== 'FAILED'
    ? { ...MOVE_COPY[move], ...LEFT_ENDED }
    : MOVE_COPY[move];
}

/** `{who}` is the owner, or the client that did it. */
const TRANSITION_TEXTS: Readonly<Record<ConversationEventType, string>> = {
  agent_sends_first_message: 'The agent began the first message.',
  agent_processes_reply: 'The agent read the reply.',
  turn_begins: 'The agent went on.',
  message_sent: 'The agent wrote.',
  followup_sent: 'The agent sent a follow-up.',
  schedule_next_heartbeat: 'The agent chose to wait.',
  end_conversation: 'The agent found it done.',
  request_intervention: 'The agent stopped and asked for you.',
  unrecoverable_error: 'It could not go on.',
  contact_replies: 'They answered.',
  late_reply: 'They wrote after it had ended.',
  messages_acknowledged: 'WhatsApp took the message.',
  heartbeat_fires: 'No answer came in time.',
  max_followups_exceeded: 'The last follow-up had no answer.',
  pause: '{who} paused it.',
  owner_takeover: 'You wrote from your phone, so the agent paused.',
  resume: '{who} let it go on.',
  manual_send: '{who} wrote.',
  cancel: '{who} cancelled it.',
  contact_has_active_instance: 'Another conversation with them comes first.',
  prior_instance_terminal: 'Its turn in line came.',
};

export function transitionText({ trigger }: Pick<StateTransition, 'trigger'>, by: string): string {
  const words =
    TRANSITION_TEXTS[trigger as ConversationEventType] ?? `${trigger.replaceAll('_', ' ')}.`;
  return words.replace('{who}', by);
}

const AUTHORS = { agent: 'Agent', contact: null, manual: 'You', system: null } as const;
const FROM = { agent: 'agent', contact: 'contact', manual: 'owner', system: 'system' } as const;

export const toConversationEntry = (line: TranscriptLine): TranscriptEntry => ({
  key: line.id,
  place: [Number(line.id), 0],
  side: FROM[line.role],
  authorName: AUTHORS[line.role],
  label: null,
  text: line.role === 'system' ? withoutApprovalsHint(line.content) : line.content,
  at: line.timestamp,
  delivery: line.delivery,
  marks: line.queued_until === undefined ? [] : [`Not before ${formatFullTime(line.queued_until)}`],
  quoted: null,
  whyMessageId: line.message_id,
});
