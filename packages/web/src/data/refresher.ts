// Turns a rush of events into few requests: what was touched is collected, and asked for again once the round before
// is done and a second old. Invariant: whatever is touched is asked for after that, and never more than one round runs.

import type { Happened } from '@relay/contract/client/sse';
import type { QueryClient } from '@tanstack/react-query';

const GATHER_MS = 150;
/** From one round to the next while events do not end: as often as somebody can read, and the page has time for them. */
const PACE_MS = 1_000;

export interface Refresher {
  touch(nouns: readonly QueryNoun[]): void;
  everything(): void;
}

export function createRefresher(
  queries: Pick<QueryClient, 'invalidateQueries'>,
  /** Nothing is asked for while nobody looks. */
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
      // A query that fails says so where it is shown.
      await round().catch(() => {});
    }
    running = false;
  };
  return {
    touch(nouns) {
      for (const noun of nouns) touched.add(noun);
      void run();
    },
    everything() {
      all = true;
      void run();
    },
  };
}

// Which of the things shown an event is about. Pure. A kind that is not here may be about anything, so all of it is
// asked for again: a newer daemon can never leave an older page stale.

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

/** By the first word of a kind: `conversation.line` is about a conversation. */
const NOUNS_BY_EVENT_KIND: Readonly<Record<string, readonly QueryNoun[]>> = {
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

export const nounsTouchedBy = ({ kind }: Pick<Happened, 'kind'>): readonly QueryNoun[] =>
  NOUNS_BY_EVENT_KIND[kind.split('.', 1)[0] ?? ''] ?? QUERY_NOUNS;
