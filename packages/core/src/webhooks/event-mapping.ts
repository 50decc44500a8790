// Maps events of the log to webhook events: their type, ids and codes. No text by a person is among these facts; text
// is read when it is sent.

import { MESSAGE_EVENT, messageRefSchema, type StreamEvent } from '@relay/contract/api/events';
import type { RestartReport } from '@relay/contract/api/status';
import {
  CONNECTION_STATES,
  type ConnectionState,
  connectionSentence,
  whatsappStatusOf,
} from '@relay/contract/connection/states';
import { OUTBOX_STATES } from '@relay/contract/outbox/states';
import type { WebhookEventType } from '@relay/contract/webhooks/event-types';
import type {
  MESSAGE_DIRECTIONS,
  WebhookData,
  WebhookFilter,
} from '@relay/contract/webhooks/events';
import { z } from 'zod';
import { FREEZES, type FreezeCause, freezeSentence } from '../outbox/freeze.ts';
import { reportSentence } from '../restart-report.ts';

export type EventFacts = Readonly<Record<string, string | number | boolean | null>>;

export interface MappedEvent {
  /** A message event is received or sent: only its row says which. */
  readonly type: WebhookEventType | 'message';
  readonly facts: EventFacts;
}

const code = z.string().max(100);
const outboxSchema = z.object({
  state: z.enum(OUTBOX_STATES),
  message: code,
  chat: code,
  instance: code.nullable(),
});
const conversationSchema = z.object({
  state: code,
  from: code.nullable().default(null),
  trigger: code.nullable().default(null),
});
const approvalSchema = z.object({ state: code, fresh: z.boolean().default(true) });
const linkSchema = z.object({
  state: z.enum(Object.keys(CONNECTION_STATES) as [ConnectionState, ...ConnectionState[]]),
  from: z
    .enum(Object.keys(CONNECTION_STATES) as [ConnectionState, ...ConnectionState[]])
    .nullable(),
});
const frozenSchema = z.object({ cause: code, until: code });
const holdSchema = z.object({ on: z.boolean() });
const reportSchema = z.object({
  cause: z.enum(['daemon', 'link']),
  since: code,
  until: code,
  messages: z.number(),
  chats: z.number(),
  replayed: z.number(),
  unknownSends: z.number(),
  needsYou: z.number(),
});

type Read = (event: StreamEvent) => readonly MappedEvent[];

/** Kinds that are missing here are not delivered. */
const BY_KIND: Readonly<Record<string, Read>> = {
  [MESSAGE_EVENT]: ({ subject, data }) => {
    const ref = messageRefSchema.safeParse(data).data;
    return ref === undefined ? [] : [{ type: 'message', facts: { chat: subject, ...ref } }];
  },
  outbox: ({ subject, data }) => {
    const sent = outboxSchema.safeParse(data).data;
    // It is queued again, which is not worth an event.
    if (sent === undefined || sent.state === 'pending') return [];
    return [{ type: 'message.sent', facts: { outbox: subject, ...sent } }];
  },
  conversation: ({ subject, data }) => {
    const step = conversationSchema.safeParse(data).data;
    if (step === undefined || step.from === step.state) return [];
    return [{ type: 'conversation.state', facts: { instance: subject, ...step } }];
  },
  approval: ({ subject, data }) => {
    const asked = approvalSchema.safeParse(data).data;
    if (asked === undefined || !asked.fresh) return [];
    const { state } = asked;
    const type = state === 'pending' ? 'approval.requested' : 'approval.answered';
    return [{ type, facts: { approval: subject, state } }];
  },
  link: ({ data }) => {
    const link = linkSchema.safeParse(data).data;
    if (link === undefined) return [];
    return [{ type: 'link.state', facts: link }, ...health(linkNews(link))];
  },
  'sending.frozen': ({ data }) => {
    const frozen = frozenSchema.safeParse(data).data;
    return frozen === undefined ? [] : health({ what: 'sending', ...frozen });
  },
  'outbox.undecided': ({ subject, data }) => {
    const chat = code.safeParse(data.chat).data ?? null;
    return health({ what: 'message', outbox: subject, chat });
  },
  hold: ({ data }) => {
    const hold = holdSchema.safeParse(data).data;
    return hold === undefined ? [] : health({ what: 'hold', ...hold });
  },
  report: ({ data }) => {
    const report = reportSchema.safeParse(data).data;
    return report === undefined ? [] : health({ what: 'daemon', ...report });
  },
};

export const mapStreamEvent = (event: StreamEvent): readonly MappedEvent[] =>
  BY_KIND[event.kind]?.(event) ?? [];

const health = (facts: EventFacts | null): readonly MappedEvent[] =>
  facts === null ? [] : [{ type: 'health', facts }];

/** States that last until a person acts. */
export const STOPPED_STATES: readonly ConnectionState[] = [
  'link_expired',
  'passkey_required',
  'passkey_refused',
  'passkey_failed',
  'logged_out',
  'replaced',
  'banned',
  'client_outdated',
  'device_mismatch',
  'session_refused',
  'credentials_unreadable',
  'taken_over',
  'closed_unexplained',
];

const needsPerson = (state: ConnectionState): boolean => STOPPED_STATES.includes(state);

/** The link came up, went down, or needs somebody; steps between are not reported. */
function linkNews({ state, from }: z.infer<typeof linkSchema>): EventFacts | null {
  const up = whatsappStatusOf(state) === 'connected';
  const was = from !== null && whatsappStatusOf(from) === 'connected';
  return up !== was || needsPerson(state) ? { what: 'whatsapp', state } : null;
}

// Relay's health in one sentence for monitoring. The sentences come from the tables behind `relay status`, never from a
// person's text.

type Health = WebhookData<'health'>;

const BY_WHAT: Readonly<
  Record<Health['what'], (facts: EventFacts) => Omit<Health, 'what'> | null>
> = {
  whatsapp: (facts) => {
    const state = facts.state as ConnectionState;
    return {
      ok: whatsappStatusOf(state) === 'connected',
      needs_you: needsPerson(state),
      explanation: connectionSentence(state),
    };
  },
  sending: ({ cause, until }) => {
    const frozen = String(cause);
    if (!(frozen in FREEZES)) return null;
    const freeze = { cause: frozen as FreezeCause, until: new Date(String(until)), strikes: 1 };
    return { ok: false, needs_you: false, explanation: freezeSentence(freeze) };
  },
  message: () => ({
    ok: false,
    needs_you: true,
    explanation:
      'It is unknown whether a message arrived. Check the chat on your phone before you send it again.',
  }),
  hold: ({ on }) => ({
    ok: on !== true,
    needs_you: false,
    explanation: on === true ? 'Sending is on hold.' : 'Sending resumed.',
  }),
  daemon: (facts) => {
    const report = facts as unknown as RestartReport;
    return { ok: true, needs_you: report.needsYou > 0, explanation: reportSentence(report) };
  },
};

export function healthEventOf(facts: EventFacts): Health | null {
  const what = facts.what as Health['what'];
  const health = BY_WHAT[what]?.(facts) ?? null;
  return health && { what, ...health };
}

// The subject of an event, and whether a webhook's filter accepts it. A contact in a filter means the chat with them.

export interface EventPlace {
  readonly chat: string | null;
  /** The contact of the chat; null for a group. */
  readonly contact: string | null;
  readonly direction: (typeof MESSAGE_DIRECTIONS)[number] | null;
  readonly state: string | null;
}

export function matchesFilter(filter: WebhookFilter, place: EventPlace): boolean {
  const { contacts, chats, directions, states } = filter;
  const somewhere = place.chat !== null || place.contact !== null;
  if (somewhere && (contacts !== undefined || chats !== undefined)) {
    const named = contacts?.includes(place.contact ?? '') || chats?.includes(place.chat ?? '');
    if (named !== true) return false;
  }
  if (place.direction !== null && directions?.includes(place.direction) === false) return false;
  return place.state === null || states?.includes(place.state) !== false;
}
