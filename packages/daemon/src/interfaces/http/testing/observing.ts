// Fixtures for the observer: one observed group without digests, and no digest export.

import type { DigestExportState } from '@relay/contract/api/digests';
import type { ObservedGroup } from '@relay/contract/api/observed-groups';
import type { HttpDeps } from '../deps.ts';
import type { Recorded } from './recorded.ts';

const observedGroup: ObservedGroup = {
  chat_id: '90000000-0000-4000-8000-000000000001',
  address: '120363000000000001@g.us',
  name: 'Family',
  zone: 'Europe/Berlin',
  assistant_name: 'Annie',
  answers_per_day: 5,
  may_answer: true,
  announcement: 'Annie reads along here.',
  since: '2026-03-02T10:00:00.000Z',
  announced_at: '2026-03-02T10:00:00.000Z',
  messages_kept: 0,
  messages_cut: 0,
  tokens_spent: 0,
  tokens_avoided: 0,
  answers_today: 0,
  messages_sent: 0,
  days: [],
  last_digest_at: null,
  oldest_message_at: null,
};

const outside: DigestExportState = {
  device_id: 'relay-whatsapp',
  folder: null,
  hourly: false,
  webhook_url: null,
  signed: false,
};

export const observingStandIns = (
  recorded: Recorded,
): Pick<HttpDeps, 'observing' | 'digests' | 'digestExport'> => ({
  observing: {
    list: recorded('listObserved', async () => [observedGroup]),
    preview: recorded('previewObserved', async () => ({ ...observedGroup, observed: false })),
    add: recorded('observe', async () => observedGroup),
    remove: recorded('unobserve', async () => ({
      chat_id: observedGroup.chat_id,
      name: observedGroup.name,
      erased: false,
    })),
  },
  digests: {
    digests: recorded('readDigests', async () => ({ digests: [] })),
    hasGroups: async () => false,
  },
  digestExport: {
    state: recorded('outsideMemory', async () => outside),
    change: recorded('changeOutsideMemory', async () => ({ ...outside, webhook_secret: null })),
  },
});
