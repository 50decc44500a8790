// What giving digests to another memory stands on.
import type { OutsideMemorySettings } from '@relay/core/settings';
import type { Egress } from '../egress/egress.ts';
import type { Engine } from '../jobs/work.ts';

export interface OutsideWorld extends Engine {
  readonly egress: Egress;
  /** As they are now, with the secret opened. */
  settings(): Promise<OutsideMemorySettings>;
  save(changed: Partial<OutsideMemorySettings>): Promise<OutsideMemorySettings>;
}
