// What enforcing the limits and forgetting somebody stand on.
import type { ContactId } from '@relay/core/ids';
import type { OutsideCopies } from '@relay/core/ports/retention';
import type { RetentionSettings } from '@relay/core/settings';
import type { Engine } from '../jobs/work.ts';
import type { Scouring } from '../store/erase/scour.ts';

export interface RetentionWorld extends Engine, Pick<Scouring, 'server'> {
  readonly limits: RetentionSettings;
  readonly outside: OutsideCopies;
  /** Ends every conversation with them, so that no agent works on what is about to go. */
  endConversations(contact: ContactId): Promise<void>;
  /** Whether logs are written that may hold the beginnings of messages. */
  readonly logsWords: boolean;
}
