// Objects of the examples in the documentation of version 1. They belong together: the same ids name the same things.
import type { V1 } from '@relay/contract/api/v1';
import type { WebhookDeliveryType } from '@relay/contract/webhooks/event-types';
import type { WebhookBody } from '@relay/contract/webhooks/events';

const AT = '2026-11-18T09:30:00.000Z';
const LATER = '2026-11-19T09:30:00.000Z';
const CHAT = '3e6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d';
const CONTACT = '6f1c2b3d-7d7e-4c3f-9f5b-0d6f6a1c2b3d';
const CONVERSATION = '0b6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d';
const MESSAGE = '3EB0A1B2C3D4E5F60718';
const FILE = 'Parcel 1042';
const OUTBOX = '5a6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d';

const grant: V1<'grant'> = {
  can_read: true,
  can_reply: true,
  reply_mode: 'auto',
  can_initiate: true,
};

const webhook: V1<'webhook'> = {
  webhook_id: '8c6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  name: 'crm',
  url: 'https://crm.example/relay',
  events: ['message.received', 'conversation.state'],
  contacts: null,
  directions: null,
  states: null,
  include_text: false,
  enabled: true,
  explanation: null,
  created_at: AT,
  rotated_at: null,
  last_delivered_at: null,
  failing_since: null,
  pending: 0,
  dead: 0,
};

const token: V1<'token'> = {
  token_id: '9d6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  name: 'crm',
  scopes: ['events:read', 'messages:send'],
  contacts: [{ contact_id: CONTACT, name: 'Ana' }],
  confirm: false,
  has_read: false,
  created_at: AT,
  rotated_at: null,
  last_used_at: null,
  expires_at: null,
  suspended_at: null,
  accounts: ['default'],
};

const message: V1<'message'> = {
  message_id: MESSAGE,
  chat_id: CHAT,
  direction: 'in',
  author: 'contact',
  from_name: 'Ana',
  text: 'When does the parcel arrive?',
  label: null,
  sent_at: AT,
  state: null,
  explanation: null,
  media: null,
  content: null,
};

const conversationMessage: V1<'conversationMessage'> = {
  conversation_id: CONVERSATION,
  message_id: MESSAGE,
  author: 'contact',
  text: 'Tuesday is fine.',
  sent_at: AT,
  state: null,
  media: null,
  content: null,
};

const approval: V1<'approval'> = {
  approval_id: '7b6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  kind: 'send_message',
  state: 'pending',
  chat_id: CHAT,
  conversation_id: null,
  recipient: '+4915112345678',
  recipient_name: 'Ana',
  text: 'The parcel arrives on Tuesday.',
  hidden_characters: [],
  shown: 'f0e4c2f76c58916ec258f246851bea091d14d4247a2fc3e18694461b1816e13b',
  reason: 'confirm',
  explanation: 'Each message needs your confirmation before it is sent.',
  risks: [],
  requested_by: `token:${token.token_id}`,
  answer: null,
  replaced_by: null,
  created_at: AT,
  expires_at: LATER,
  decided_at: null,
};

const schedule: V1<'schedule'> = {
  schedule_id: '4d6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  chat_id: CHAT,
  recipient: '+4915112345678',
  recipient_name: 'Ana',
  text: 'Good morning!',
  state: 'active',
  explanation: 'every weekday at 09:00, Europe/Berlin',
  next_at: LATER,
  last_outcome: null,
  created_by: 'owner',
  created_at: AT,
};

const events: V1<'event'>[] = [
  {
    event_id: '12345-66-0',
    account: 'default',
    type: 'message.received',
    occurred_at: AT,
    data: {
      message_id: MESSAGE,
      chat_id: CHAT,
      chat_kind: 'direct',
      contact_id: CONTACT,
      direction: 'in',
      kind: 'text',
      sent_at: AT,
      late: false,
    },
  },
  {
    event_id: '12345-67-0',
    account: 'default',
    type: 'conversation.state',
    occurred_at: AT,
    data: {
      conversation_id: CONVERSATION,
      chat_id: CHAT,
      contact_id: CONTACT,
      state: 'WAITING_FOR_AGENT',
      from_state: 'WAITING_FOR_REPLY',
      reason: 'contact_replies',
      needs_you: false,
    },
  },
];

export const EXAMPLE = {
  grant,
  webhook,
  token,
  message,
  conversationMessage,
  approval,
  schedule,
  events,
  ownMessage: {
    ...conversationMessage,
    message_id: null,
    author: 'owner',
    text: 'Is Tuesday fine?',
    state: 'pending',
  } satisfies V1<'conversationMessage'>,
  account: {
    account_id: 'default',
    version: '0.1.0',
    link: {
      state: 'connected',
      status: 'connected',
      explanation: 'Connected to WhatsApp.',
      phone_number: '4915100000001',
    },
    client: null,
    model: { ready: true },
    counts: { conversations_active: 1, approvals_pending: 0, messages_queued: 0 },
  } satisfies V1<'account'>,
  chat: {
    chat_id: CHAT,
    kind: 'direct',
    name: 'Ana',
    contact_id: CONTACT,
    phone_number: '4915112345678',
    grant,
    last_message_at: AT,
  } satisfies V1<'chat'>,
  contact: {
    contact_id: CONTACT,
    kind: 'person',
    name: 'Ana',
    phone_number: '4915112345678',
    grant,
    last_message_at: AT,
  } satisfies V1<'contact'>,
  file: FILE,
  uploadedMedia: {
    id: 'a16d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
    bytes: FILE.length,
    sha256: '4ee9817a2dce46634a60dd08f7d1f7fade08cc5a6af7f0b53ca9e96a7641eeed',
  } satisfies V1<'uploadedMedia'>,
  sentMessage: {
    state: 'pending',
    chat_id: CHAT,
    message_id: MESSAGE,
    outbox_id: OUTBOX,
    schedule_id: null,
    approval_id: null,
    reason: null,
    explanation: null,
  } satisfies V1<'sentMessage'>,
  conversation: {
    conversation_id: CONVERSATION,
    contact: { contact_id: CONTACT, name: 'Ana' },
    chat_id: CHAT,
    state: 'WAITING_FOR_REPLY',
    explanation: 'The contact has not replied yet.',
    objective: 'Agree on a day for the delivery',
    todos: [{ text: 'Get a day', status: 'pending' }],
    facts: [],
    turn: 'them',
    approval_id: null,
    follow_up_count: 0,
    max_follow_ups: 3,
    next_follow_up_at: LATER,
    result_status: 'pending',
    created_by: 'owner',
    created_at: AT,
    updated_at: AT,
  } satisfies V1<'conversation'>,
  conversationResult: {
    conversation_id: CONVERSATION,
    status: 'valid',
    value: { day: '2026-11-24' },
    explanation: null,
    from_contact: true,
  } satisfies V1<'conversationResult'>,
  transition: {
    conversation_id: CONVERSATION,
    from_state: 'CREATED',
    to_state: 'WAITING_FOR_REPLY',
    reason: 'agent_sends',
    caused_by: null,
    occurred_at: AT,
  } satisfies V1<'transitions'>['data'][number],
  searchHit: {
    chat_id: CHAT,
    chat_name: 'Ana',
    message_id: MESSAGE,
    source: 'message',
    direction: 'in',
    from_name: 'Ana',
    text: 'When does the parcel arrive?',
    sent_at: AT,
    media: null,
    content: null,
  } satisfies V1<'searchHits'>['data'][number],
  digest: {
    chat_id: '2a6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
    chat_name: 'Neighbours',
    day: '2026-11-17',
    zone: 'Europe/Berlin',
    complete: true,
    text: 'The meeting is on Friday.',
  } satisfies V1<'digest'>,
  delivery: {
    delivery_id: '1f6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
    type: 'message.received',
    state: 'delivered',
    attempts: 1,
    next_at: null,
    last_status: 200,
    settled_at: AT,
    occurred_at: AT,
    explanation: null,
  } satisfies V1<'delivery'>,
  ledgerEntry: {
    seq: 42,
    occurred_at: AT,
    actor: 'owner',
    action: 'send_message',
    subject: { kind: 'chat', id: CHAT },
    outcome: 'allow',
    reason: 'owner',
    explanation: 'You did this yourself.',
  } satisfies V1<'ledger'>['data'][number],
};

const chat = { chat_id: CHAT, chat_kind: 'direct' as const };
const asked = {
  approval_id: approval.approval_id,
  kind: approval.kind,
  state: approval.state,
  reason: approval.reason,
  requested_by: approval.requested_by,
  conversation_id: null,
  chat_id: CHAT,
  expires_at: LATER,
};

/** The body of a webhook of each type. */
export const WEBHOOK_EXAMPLES: {
  readonly [Type in WebhookDeliveryType]: Extract<WebhookBody, { type: Type }>;
} = {
  'message.received': {
    type: 'message.received',
    account: 'default',
    timestamp: AT,
    data: {
      ...{ message_id: MESSAGE, ...chat, contact_id: CONTACT, direction: 'in', kind: 'text' },
      ...{ sent_at: AT, late: false },
    },
  },
  'message.sent': {
    type: 'message.sent',
    account: 'default',
    timestamp: AT,
    data: {
      ...{ message_id: MESSAGE, outbox_id: OUTBOX, ...chat, contact_id: CONTACT },
      ...{ conversation_id: null, direction: 'out', state: 'delivered' },
    },
  },
  'conversation.state': {
    type: 'conversation.state',
    account: 'default',
    timestamp: AT,
    data: {
      ...{ conversation_id: CONVERSATION, chat_id: CHAT, contact_id: CONTACT },
      ...{ state: 'NEEDS_HUMAN_INTERVENTION', from_state: 'ACTIVE', reason: 'agent_asks' },
      needs_you: true,
    },
  },
  'approval.requested': {
    type: 'approval.requested',
    account: 'default',
    timestamp: AT,
    data: asked,
  },
  'approval.answered': {
    type: 'approval.answered',
    account: 'default',
    timestamp: AT,
    data: { ...asked, state: 'approved' },
  },
  'link.state': {
    type: 'link.state',
    account: 'default',
    timestamp: AT,
    data: {
      ...{ state: 'connected', from_state: 'connecting', status: 'connected' },
      explanation: 'Connected to WhatsApp.',
    },
  },
  health: {
    type: 'health',
    account: 'default',
    timestamp: AT,
    data: { what: 'hold', ok: false, needs_you: false, explanation: 'Sending is on hold.' },
  },
  ping: {
    type: 'ping',
    account: 'default',
    timestamp: AT,
    data: { webhook_id: webhook.webhook_id },
  },
};
