// Digests as the owner's routes, commands and assistant read them. Implemented by `flows/observer`; every
// refusal is a RelayError from the one table.
import type { DigestQuery, DigestsResponse } from '../api/digests.ts';

export interface DigestVerbs {
  digests(query: DigestQuery): Promise<DigestsResponse>;
  /** Whether there is any group to ask about. */
  hasGroups(): Promise<boolean>;
}
