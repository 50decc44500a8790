// What digests need of the world, handed to them by main. Nothing here can send.
import type { DigestId } from '@relay/core/ids';
import type { DigestKind } from '@relay/core/observer/digest/periods';
import type { Settings } from '@relay/core/settings';
import type { Clock } from '../../../agent/clock.ts';
import type { ModelSource } from '../../../agent/model.ts';
import type { Engine, Work } from '../../../jobs/work.ts';

export interface DigestWorld extends Engine {
  readonly settings: Pick<Settings, 'agent' | 'observer' | 'retention' | 'admin_phone_numbers'>;
  readonly models: ModelSource;
  readonly clock: Clock;
  /** A digest was written, in this transaction. */
  onDigest?(work: Work, digest: DigestId, kind: DigestKind): Promise<void>;
}
