// The other way that messages of observed groups come in: forwarders of notifications, with a token of their
// own. What they hand in is read and never answered: nobody can prove who wrote it.
import type { ForwardedNotification, IngestReport, IngestTokenState } from '../api/ingest.ts';

export interface IngestVerbs {
  /** All or nothing. Refuses what is of no observed group. */
  take(notifications: readonly ForwardedNotification[]): Promise<IngestReport>;
}

export interface ForwarderTokens {
  /** Whether the token with this hash is good; that it was used is noted. */
  knows(hash: string): Promise<boolean>;
  /** From now on this one is good, and none before it. */
  replace(hash: string): Promise<void>;
  /** False when there was none. */
  revoke(): Promise<boolean>;
  state(): Promise<IngestTokenState>;
}
