// From the log of events to what webhooks are told: which kind it is, and the ids and codes that go with it.
// Pure. Invariant: nothing that somebody wrote is among these facts; words are read when they are sent.
import { z } from 'zod';
import { MESSAGE_EVENT, messageRefSchema } from '../api/events.ts';
import { CONNECTION_STATES, type ConnectionState, statusOf } from '../connection/states.ts';
import { OUTBOX_STATES } from '../outbox/progress.ts';
import type { StreamEvent } from '../ports/event-log.ts';
import type { WebhookEvent } from './kinds.ts';

export type Facts = Readonly<Record<string, string | number | boolean | null>>;

export interface Happening {
  /** A message is one that was received or sent: only its row says which. */
  readonly type: WebhookEvent | 'message';
  readonly facts: Facts;
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

type Read = (event: StreamEvent) => readonly Happening[];

/** What is not here is not told. */
const BY_KIND: Readonly<Record<string, Read>> = {
  [MESSAGE_EVENT]: ({ subject, data }) => {
    const ref = messageRefSchema.safeParse(data).data;
    return ref === undefined ? [] : [{ type: 'message', facts: { chat: subject, ...ref } }];
  },
  outbox: ({ subject, data }) => {
    const sent = outboxSchema.safeParse(data).data;
    // It waits again: that is no news of its way.
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

export const happeningsOf = (event: StreamEvent): readonly Happening[] =>
  BY_KIND[event.kind]?.(event) ?? [];

const health = (facts: Facts | null): readonly Happening[] =>
  facts === null ? [] : [{ type: 'health', facts }];

/** States that last until a person acts. */
const STOPPED: readonly ConnectionState[] = [
  'link_expired',
  'passkey_required',
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

export const needsPerson = (state: ConnectionState): boolean => STOPPED.includes(state);

/** The link came up, went down, or needs somebody; steps between those are no news of its health. */
function linkNews({ state, from }: z.infer<typeof linkSchema>): Facts | null {
  const up = statusOf(state) === 'connected';
  const was = from !== null && statusOf(from) === 'connected';
  return up !== was || needsPerson(state) ? { what: 'whatsapp', state } : null;
}
