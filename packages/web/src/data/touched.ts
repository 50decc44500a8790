// Which of the things shown an event is about. Pure. A kind that is not here may be about anything, so all of it is
// asked for again: a newer daemon can never leave an older page stale.
import type { Happened } from '@relay/core/client/events';

export const NOUNS = [
  'activity',
  'approvals',
  'assistant',
  'contacts',
  'digests',
  'groups',
  'instances',
  'knocks',
  'ledger',
  'link',
  'messages',
  'schedules',
  'search',
  'settings',
  'status',
  'tokens',
  'webhooks',
  'whatsapp-permissions',
  'whatsapp-status',
] as const;

export type Noun = (typeof NOUNS)[number];

/** By the first word of a kind: `conversation.line` is about a conversation. */
const TOUCHED: Readonly<Record<string, readonly Noun[]>> = {
  message: ['messages', 'status', 'knocks', 'contacts', 'ledger'],
  conversation: ['instances', 'approvals', 'status', 'ledger'],
  approval: ['approvals', 'instances', 'status', 'ledger'],
  outbox: ['messages', 'instances', 'status', 'ledger'],
  sending: ['status', 'link'],
  hold: ['status', 'ledger'],
  link: ['link', 'whatsapp-status', 'status'],
  whatsapp: ['link', 'whatsapp-status', 'status'],
  grant: ['whatsapp-permissions', 'contacts', 'knocks', 'search', 'status', 'ledger'],
  contact: ['contacts', 'whatsapp-permissions', 'knocks', 'instances', 'status'],
  assistant: ['assistant'],
  auto_reply: ['contacts', 'ledger'],
  schedule: ['schedules', 'approvals', 'ledger'],
  digest: ['digests', 'groups'],
  report: ['status'],
  webhook: ['webhooks', 'status'],
};

export const touchedBy = ({ kind }: Pick<Happened, 'kind'>): readonly Noun[] =>
  TOUCHED[kind.split('.', 1)[0] ?? ''] ?? NOUNS;
