// All requirements in one list: those of the seeds, and ours beyond them. A test cites one by `verifies('AC-1.1')`; an
// id that no test cites fails `npm run check`. Ids are stable: never rename or reuse one.
import { ACCOUNTS } from './accounts.ts';
import { API_V1 } from './api-v1.ts';
import { CONVERSATIONS } from './conversations.ts';
import { IDENTITY } from './identity.ts';
import { MEDIA } from './media.ts';
import { NOTIFICATIONS } from './notifications.ts';
import { REMOTE } from './remote.ts';
import { SCALE } from './scale.ts';
import { SEED_000 } from './seed-000.ts';
import { SEED_001 } from './seed-001.ts';
import { SEED_002 } from './seed-002.ts';
import { SEED_003 } from './seed-003.ts';
import { SEED_004 } from './seed-004.ts';
import { SEPARATION } from './separation.ts';
import { SETUP } from './setup.ts';
import { STORAGE } from './storage.ts';
import { TRUST } from './trust.ts';
import { UNDERSTANDING } from './understanding.ts';
import { WORDS } from './words.ts';
import { WORKERS } from './workers.ts';
import { WRITE } from './write.ts';

export interface Requirement {
  readonly id: string;
  readonly seed: string;
  /** The requirement in one line. Where a decision record replaces the seed's statement, the decision's. */
  readonly says: string;
}

const SEEDS = {
  '000': SEED_000,
  '001': SEED_001,
  '002': SEED_002,
  '003': SEED_003,
  '004': SEED_004,
  ACCOUNT: ACCOUNTS,
  API: API_V1,
  CONV: CONVERSATIONS,
  IDENTITY,
  MEDIA: { ...MEDIA, ...UNDERSTANDING },
  SETUP,
  NOTIFY: NOTIFICATIONS,
  REMOTE,
  SCALE,
  SEP: SEPARATION,
  STORE: STORAGE,
  TRUST,
  WORDS,
  WORKERS,
  WRITE,
};

export const requirements: readonly Requirement[] = Object.entries(SEEDS).flatMap(([seed, rows]) =>
  Object.entries(rows).map(([id, says]) => ({ id, seed, says })),
);

const ids: ReadonlySet<string> = new Set(requirements.map(({ id }) => id));

export const isRequirement = (id: string): boolean => ids.has(id);
