// What can happen to a conversation. The names are persisted as the `trigger` of a logged
// transition and appear in the API: never rename one.

/** What a reply to an ended conversation does: asks the owner, or reopens the conversation. */
export const LATE_REPLY_POLICIES = ['ask', 'reopen'] as const;
export type LateReplyPolicy = (typeof LATE_REPLY_POLICIES)[number];

export type ConversationEvent =
  // The agent
  | { readonly type: 'agent_sends_first_message' }
  | { readonly type: 'agent_processes_reply' }
  | { readonly type: 'turn_begins' }
  | {
      readonly type: 'message_sent';
      readonly texts: readonly string[];
      /** A follow-up that waited for the owner's yes. */
      readonly followUp?: boolean;
      readonly nextHeartbeatMs?: number;
    }
  | {
      readonly type: 'followup_sent';
      readonly texts: readonly string[];
      readonly nextHeartbeatMs?: number;
    }
  | { readonly type: 'schedule_next_heartbeat'; readonly delayMs: number }
  | { readonly type: 'end_conversation'; readonly reason: string }
  | {
      readonly type: 'request_intervention';
      readonly reason: string;
      /** What the agent said to the contact before it asked. */
      readonly texts?: readonly string[];
    }
  | { readonly type: 'unrecoverable_error'; readonly reason: string }
  // The contact, WhatsApp and the clock
  | { readonly type: 'contact_replies' }
  /** The contact wrote after the conversation had ended. */
  | { readonly type: 'late_reply'; readonly policy: LateReplyPolicy }
  /** No message of the conversation is unsent any more. */
  | { readonly type: 'messages_acknowledged'; readonly at: Date }
  | { readonly type: 'heartbeat_fires' }
  | { readonly type: 'max_followups_exceeded' }
  // The owner
  | { readonly type: 'pause' }
  | { readonly type: 'owner_takeover' }
  | { readonly type: 'resume'; readonly contactIsFree: boolean }
  | { readonly type: 'manual_send'; readonly text: string }
  | { readonly type: 'cancel' }
  // The queue of the contact
  | { readonly type: 'contact_has_active_instance' }
  | { readonly type: 'prior_instance_terminal' };

export type EventType = ConversationEvent['type'];

/** Each event as the end of "… is not possible now". */
export const EVENTS: Readonly<Record<EventType, string>> = {
  agent_sends_first_message: 'writing the first message',
  agent_processes_reply: 'reading the reply',
  turn_begins: 'taking a turn',
  message_sent: 'sending a message',
  followup_sent: 'sending a follow-up',
  schedule_next_heartbeat: 'scheduling a follow-up',
  end_conversation: 'ending the conversation',
  request_intervention: 'asking for you',
  unrecoverable_error: 'failing',
  contact_replies: 'taking in a reply',
  late_reply: 'taking in a late reply',
  messages_acknowledged: 'starting the follow-up clock',
  heartbeat_fires: 'following up',
  max_followups_exceeded: 'giving up',
  pause: 'pausing',
  owner_takeover: 'taking over',
  resume: 'resuming',
  manual_send: 'sending a message of yours',
  cancel: 'cancelling',
  contact_has_active_instance: 'queueing',
  prior_instance_terminal: 'leaving the queue',
};

export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];
