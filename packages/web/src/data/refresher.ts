// Turns a burst of events into few requests: affected nouns are collected and refetched once the previous round is done
// and at least a second old. Invariant: every affected noun is refetched afterwards, and only one round runs at a time.

import type { Happened } from '@relay/contract/client/sse';
import type { QueryClient } from '@tanstack/react-query';

const GATHER_MS = 150;
/** Time between rounds under continuous events: fast enough to read along, slow enough for the page to render. */
const PACE_MS = 1_000;

export interface Refresher {
  invalidate(nouns: readonly QueryNoun[]): void;
  invalidateAll(): void;
}

export function createRefresher(
  queries: Pick<QueryClient, 'invalidateQueries'>,
  /** Nothing is refetched while the page is hidden. */
  untilSeen: () => Promise<void> = async () => {},
): Refresher {
  const touched = new Set<QueryNoun>();
  let all = false;
  let running = false;
  let last = Number.NEGATIVE_INFINITY;

  const round = async () => {
    const nouns = [...touched];
    const whole = all;
    touched.clear();
    all = false;
    if (whole) await queries.invalidateQueries();
    else await Promise.all(nouns.map((noun) => queries.invalidateQueries({ queryKey: [noun] })));
  };
  const run = async () => {
    if (running) return;
    running = true;
    while (all || touched.size > 0) {
      const pause = Math.max(GATHER_MS, last + PACE_MS - performance.now());
      await new Promise((resolve) => setTimeout(resolve, pause));
      await untilSeen();
      last = performance.now();
      // A failed query shows its error where its data is shown.
      await round().catch(() => {});
    }
    running = false;
  };
  return {
    invalidate(nouns) {
      for (const noun of nouns) touched.add(noun);
      void run();
    },
    invalidateAll() {
      all = true;
      void run();
    },
  };
}

// Maps an event to the nouns it affects. Pure. An unknown kind affects everything, so that a newer daemon never leaves
// an older page stale.

export const QUERY_NOUNS = [
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
  'notifications',
  'schedules',
  'search',
  'settings',
  'status',
  'tokens',
  'webhooks',
  'whatsapp-permissions',
  'whatsapp-status',
] as const;

export type QueryNoun = (typeof QUERY_NOUNS)[number];

/** Keyed by the first word of a kind: `conversation.line` affects conversations. */
const NOUNS_BY_EVENT_KIND: Readonly<Record<string, readonly QueryNoun[]>> = {
  message: ['messages', 'status', 'knocks', 'contacts', 'ledger'],
  conversation: ['instances', 'approvals', 'status', 'ledger'],
  approval: ['approvals', 'instances', 'status', 'ledger', 'assistant'],
  outbox: ['messages', 'instances', 'status', 'ledger'],
  media: ['messages', 'contacts', 'instances', 'search'],
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

export const nounsTouchedBy = ({ kind }: Pick<Happened, 'kind'>): readonly QueryNoun[] =>
  NOUNS_BY_EVENT_KIND[kind.split('.', 1)[0] ?? ''] ?? QUERY_NOUNS;
