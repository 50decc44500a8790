// Texts of a conversation: the effect of each action of the owner, and each step of its history. Pure.
import type { StateTransition, TranscriptLine } from '@relay/contract/api/instances';
import {
  CONVERSATION_EVENT_TYPES,
  type ConversationEventType,
  type LegalMove,
  type OwnersMove,
} from '@relay/core/conversation/transition-table';
import { revealHidden } from '@relay/core/messages/text';
import { IconPlayerPause, IconPlayerPlay, IconX, type TablerIcon } from '@tabler/icons-react';
import { type TextId, t } from '../../../i18n.ts';
import { formatFullTime } from '../../../parts/format.ts';
import { ONLY_TEXT, type TranscriptEntry } from '../../../parts/transcript/window.ts';

/** `manual_send` belongs to the composer. */
export type ButtonMove = Exclude<OwnersMove, 'manual_send'>;
export type LegalButtonMove = LegalMove & { readonly move: ButtonMove };

interface MoveDisplay {
  readonly act: TextId;
  /** The effect. */
  readonly result: TextId;
  readonly icon: TablerIcon;
}

const MOVE_DISPLAY: Readonly<Record<ButtonMove, MoveDisplay>> = {
  resume: {
    act: 'conversations.move.resume',
    result: 'conversations.move.resume.result',
    icon: IconPlayerPlay,
  },
  pause: {
    act: 'conversations.move.pause',
    result: 'conversations.move.pause.result',
    icon: IconPlayerPause,
  },
  cancel: {
    act: 'conversations.move.cancel',
    result: 'conversations.move.cancel.result',
    icon: IconX,
  },
};

/** Cancelling a conversation that had ended before the contact wrote again. */
const DISMISS: MoveDisplay = {
  act: 'conversations.move.dismiss',
  result: 'conversations.move.dismiss.result',
  icon: IconX,
};

/** Whether the move returns the conversation to its former end instead of cancelling it. */
export const isDismissal = ({ move, to }: LegalMove): boolean =>
  move === 'cancel' && to !== 'FAILED';

function moveDisplay(legal: LegalButtonMove): MoveDisplay {
  if (isDismissal(legal)) return DISMISS;
  return legal.move === 'resume' && legal.to === 'ACTIVE'
    ? { ...MOVE_DISPLAY.resume, result: 'conversations.move.resume.toAgent' }
    : MOVE_DISPLAY[legal.move];
}

export function moveCopy(legal: LegalButtonMove) {
  const { act, result, icon } = moveDisplay(legal);
  return { act: t(act), result: t(result), icon };
}

/** `client` is the name of the client that did it; null for the owner. */
export const actorValues = (client: string | null) => ({
  actor: client === null ? 'owner' : 'client',
  client: client ?? '',
});

export function transitionText(
  { trigger, to_state: to }: Pick<StateTransition, 'trigger' | 'to_state'>,
  client: string | null,
): string {
  if (!isEventType(trigger)) return trigger.replaceAll('_', ' ');
  return trigger === 'cancel' && to !== 'FAILED'
    ? t('conversations.event.dismiss', actorValues(client))
    : t(`conversations.event.${trigger}`, actorValues(client));
}

const isEventType = (trigger: string): trigger is ConversationEventType =>
  (CONVERSATION_EVENT_TYPES as readonly string[]).includes(trigger);

const SIDES = { agent: 'agent', contact: 'contact', manual: 'owner', system: 'system' } as const;

function authorName(role: TranscriptLine['role']): string | null {
  if (role === 'agent') return t('conversations.transcript.agent');
  return role === 'manual' ? t('common.you') : null;
}

export const toConversationEntry = (line: TranscriptLine): TranscriptEntry => ({
  key: line.id,
  place: [Number(line.id), 0],
  side: SIDES[line.role],
  authorName: authorName(line.role),
  label: null,
  text: line.media === undefined ? line.content : (line.caption ?? ''),
  at: line.timestamp,
  delivery: line.delivery,
  marks:
    line.queued_until === undefined
      ? []
      : [t('conversations.transcript.queuedUntil', { time: formatFullTime(line.queued_until) })],
  quoted:
    line.quoted === undefined
      ? null
      : {
          by: line.quoted.from_me ? t('common.you') : t('conversations.transcript.contact'),
          label: null,
          text: line.quoted.text,
        },
  whyMessageId: line.message_id,
  ...ONLY_TEXT,
  media: line.media ?? null,
});

// The result as rows of a table: one for each field, with lists and nested objects unfolded.

interface ResultRow {
  /** Unique in the table. */
  readonly place: string;
  readonly name: string;
  readonly value: string;
}

type Fields = Readonly<Record<string, unknown>>;

export function resultRows(
  { properties, items, title }: Fields,
  value: unknown,
  place = '',
  label = '',
): readonly ResultRow[] {
  const name = label || (typeof title === 'string' ? title : '');
  if (Array.isArray(value) && value.some(isFields)) {
    return value.flatMap((entry, at) =>
      resultRows(fieldsOf(items), entry, `${place}/${at}`, `${name} ${at + 1}`),
    );
  }
  if (!isFields(value)) return [{ place, name, value: resultText(value) }];
  const schemas = fieldsOf(properties);
  return Object.keys(schemas)
    .filter((key) => key in value)
    .flatMap((key) => {
      const schema = fieldsOf(schemas[key]);
      const own = typeof schema.title === 'string' && schema.title !== '' ? schema.title : key;
      return resultRows(schema, value[key], `${place}/${key}`, name ? `${name} · ${own}` : own);
    });
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

function resultText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(resultText).join('\n');
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value !== 'boolean') return revealHidden(String(value));
  return t(value ? 'conversations.plan.result.yes' : 'conversations.plan.result.no');
}
