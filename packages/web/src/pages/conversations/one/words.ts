// A conversation in words: what each of the owner's moves does, and what each step was. Pure.
import type { StateTransition, TranscriptLine } from '@relay/core/api/instances';
import { readHere } from '@relay/core/approvals/read-here';
import type { EventType } from '@relay/core/conversation/events';
import type { LegalMove, OwnersMove } from '@relay/core/conversation/moves';
import {
  IconPlayerPause,
  IconPlayerPlay,
  IconSend,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react';
import { fullTime } from '../../../parts/times.ts';
import type { Line } from '../../../parts/transcript/line.ts';

interface MoveWords {
  readonly act: string;
  /** What comes of it. */
  readonly result: string;
  readonly icon: TablerIcon;
}

const MOVES: Readonly<Record<OwnersMove, MoveWords>> = {
  manual_send: { act: 'Send', result: 'the agent goes on as before', icon: IconSend },
  resume: { act: 'Resume', result: 'it goes on where it was', icon: IconPlayerPlay },
  pause: { act: 'Pause', result: 'nothing is sent until you resume', icon: IconPlayerPause },
  cancel: { act: 'Cancel', result: 'ends it without a farewell; cannot be undone', icon: IconX },
};

/** When the agent has asked, the same moves hand the conversation back to it. */
const HANDING_BACK: Readonly<Partial<Record<OwnersMove, Partial<MoveWords>>>> = {
  manual_send: { act: 'Send, then hand back', result: 'the agent goes on after you' },
  resume: { act: 'Hand back', result: 'the agent decides alone' },
};

/** A conversation that had ended before the contact wrote again. */
const LEFT_ENDED: Partial<MoveWords> = { act: 'Dismiss', result: 'it stays as it had ended' };

export function moveWords({ move, to }: LegalMove): MoveWords {
  if (to === 'ACTIVE') return { ...MOVES[move], ...HANDING_BACK[move] };
  return move === 'cancel' && to !== 'FAILED' ? { ...MOVES[move], ...LEFT_ENDED } : MOVES[move];
}

/** `{who}` is the owner, or the program that did it. */
const STEPS: Readonly<Record<EventType, string>> = {
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

export function stepWords({ trigger }: Pick<StateTransition, 'trigger'>, by: string): string {
  const words = STEPS[trigger as EventType] ?? `${trigger.replaceAll('_', ' ')}.`;
  return words.replace('{who}', by);
}

const AUTHORS = { agent: 'Agent', contact: null, manual: 'You', system: null } as const;
const FROM = { agent: 'agent', contact: 'contact', manual: 'owner', system: 'system' } as const;

export const toLine = (line: TranscriptLine): Line => ({
  key: line.id,
  place: [Number(line.id), 0],
  from: FROM[line.role],
  by: AUTHORS[line.role],
  label: null,
  text: line.role === 'system' ? readHere(line.content) : line.content,
  at: line.timestamp,
  delivery: line.delivery,
  marks: line.queued_until === undefined ? [] : [`Not before ${fullTime(line.queued_until)}`],
  quoted: null,
  why: line.message_id,
});
