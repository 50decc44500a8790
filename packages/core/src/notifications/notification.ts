// Which events the owner is notified of, and the text of a notification. Pure.
import type { Approval } from '@relay/contract/api/approvals';
import type { StreamEvent } from '@relay/contract/api/events';
import type { NotificationKind } from '@relay/contract/api/notifications';
import {
  CONNECTION_STATES,
  type ConnectionState,
  connectionSentence,
  whatsappStatusOf,
} from '@relay/contract/connection/states';
import type { PushPayload } from '@relay/contract/notifications/push-payload';
import { z } from 'zod';
import { approvalHeadline, whomOf } from '../approvals/approval-text.ts';
import { revealHidden } from '../messages/text.ts';
import { STOPPED_STATES } from '../webhooks/event-mapping.ts';

export interface NotificationSubject {
  readonly kind: NotificationKind;
  /** The approval or the conversation; a code for the others. */
  readonly subject: string;
}

export interface NewNotification extends NotificationSubject {
  /** The owner is notified once for each kind and key. */
  readonly key: string;
}

interface NotificationChange {
  readonly show?: NewNotification;
  /** What needs nobody any more. */
  readonly close?: NotificationSubject;
}

const approvalSchema = z.object({ state: z.string(), fresh: z.boolean().default(true) });
const conversationSchema = z.object({ state: z.string(), from: z.string().nullish() });
const linkSchema = z.object({
  state: z.enum(Object.keys(CONNECTION_STATES) as [ConnectionState, ...ConnectionState[]]),
});

const NEEDS_PERSON = 'NEEDS_HUMAN_INTERVENTION';

/** An account that was linked and stays away until the owner acts. An expired QR code is not one: nobody was linked. */
const LINK_LOST: readonly ConnectionState[] = STOPPED_STATES.filter(
  (state) => state !== 'link_expired',
);

type Read = (subject: string, event: StreamEvent) => NotificationChange | null;

const BY_KIND: Readonly<Record<string, Read>> = {
  approval(subject, { data }) {
    const asked = approvalSchema.safeParse(data).data;
    if (asked === undefined) return null;
    const about = { kind: 'approval', subject } as const;
    if (asked.state !== 'pending') return { close: about };
    return asked.fresh ? { show: { ...about, key: subject } } : null;
  },
  conversation(subject, { data, cursor }) {
    const step = conversationSchema.safeParse(data).data;
    if (step === undefined || step.state === step.from) return null;
    const about = { kind: 'conversation', subject } as const;
    if (step.state === NEEDS_PERSON) return { show: { ...about, key: cursor } };
    return step.from === NEEDS_PERSON ? { close: about } : null;
  },
  link(_subject, { data, cursor }) {
    const link = linkSchema.safeParse(data).data;
    if (link === undefined) return null;
    const about = { kind: 'link', subject: link.state } as const;
    if (LINK_LOST.includes(link.state)) return { show: { ...about, key: cursor } };
    return whatsappStatusOf(link.state) === 'connected' ? { close: about } : null;
  },
};

/** Null for an event that changes nothing here. */
export const notificationChangeOf = (event: StreamEvent): NotificationChange | null =>
  BY_KIND[event.kind]?.(event.subject ?? '', event) ?? null;

// The content: what the owner sees, and how much of it. Without the owner's permission it contains no name and no text.

/** What a notification is about, read when it is sent. */
export interface NotificationContent extends NotificationSubject {
  /** Null if it is not about an approval. */
  readonly approval: Approval | null;
  /** Null if it is not about a conversation. */
  readonly conversation: { readonly contact: string; readonly reason: string } | null;
}

/** The tag under which a browser keeps it: a later one about the same subject replaces it. */
export const notificationTag = ({ kind, subject }: NotificationSubject): string =>
  kind === 'link' ? kind : `${kind}:${subject}`;

/** The page of the console that answers it. */
export function notificationPath({ kind, subject }: NotificationSubject): string {
  if (kind === 'approval') return `/approvals/${subject}`;
  if (kind === 'conversation') return `/conversations/${subject}`;
  if (kind === 'link') return '/tools';
  return kind === 'model' ? '/settings' : '/';
}

/** Systems cut notifications off; this much is shown by all of them once the notification is opened. */
const WHOLE_TEXT = 160;
const WHOLE_LINES = 3;
const LONGEST_TEXT = 400;

/** Whether a notification can show everything that the owner decides on. */
const isWhole = ({ kind, text, when, hidden_characters: hidden, recipient }: Approval): boolean =>
  kind === 'send_message' &&
  when === null &&
  recipient !== null &&
  hidden.length === 0 &&
  [...text].length <= WHOLE_TEXT &&
  text.split('\n').length <= WHOLE_LINES;

/** With names and texts. `canAnswer`: whether this browser may approve from the notification. */
export function pushDetail(
  { approval, conversation }: NotificationContent,
  canAnswer: boolean,
): PushPayload['detail'] {
  if (approval !== null) {
    return {
      who: whomOf(approval),
      text: cut(revealHidden(approval.text)),
      answer:
        canAnswer && isWhole(approval) ? { approval: approval.id, shown: approval.shown } : null,
    };
  }
  if (conversation === null) return null;
  return { who: conversation.contact, text: cut(revealHidden(conversation.reason)), answer: null };
}

const WAITS: Readonly<Record<Approval['kind'], string>> = {
  send_message: 'A message waits for your approval.',
  create_conversation: 'A conversation waits for your approval.',
  schedule_message: 'A scheduled message waits for your approval.',
  cancel_schedule: 'The cancellation of a scheduled message waits for your approval.',
  manage_grant: 'A grant change waits for your approval.',
};

const MODEL_TEXTS: Readonly<Record<string, string>> = {
  budget: 'Today’s model budget is used up. Agents reply again tomorrow, or when you raise it.',
  unreachable: 'The model does not answer. Agents do not reply until it does.',
};

/** For channels without a language of their own: ntfy and the webhook. */
export function notificationText(
  content: NotificationContent,
  showText: boolean,
): { readonly title: string; readonly text: string } {
  const { kind, subject, approval, conversation } = content;
  if (approval !== null) {
    const title = 'Relay: approval needed';
    if (!showText) return { title, text: WAITS[approval.kind] };
    const said = `${approvalHeadline(approval)}:\n${cut(revealHidden(approval.text))}`;
    return { title, text: said.charAt(0).toUpperCase() + said.slice(1) };
  }
  if (conversation !== null) {
    const title = 'Relay: a conversation needs you';
    const { contact, reason } = conversation;
    return { title, text: showText ? `${contact}: ${cut(reason)}` : 'Open it to see why.' };
  }
  if (kind === 'link') {
    const text = connectionSentence(subject as ConnectionState);
    return { title: 'Relay: WhatsApp needs you', text };
  }
  if (kind === 'model') {
    return { title: 'Relay: agents cannot reply', text: MODEL_TEXTS[subject] ?? '' };
  }
  return { title: 'Relay: test', text: 'Notifications from Relay arrive here.' };
}

function cut(text: string): string {
  const letters = [...text];
  return letters.length <= LONGEST_TEXT ? text : `${letters.slice(0, LONGEST_TEXT - 1).join('')}…`;
}
