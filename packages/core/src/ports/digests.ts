// Digests as the owner's routes, commands and assistant read them. Implemented by `flows/observer`; every
// refusal is a RelayError from the one table.
import type { DigestQuery, DigestsResponse } from '../api/digests.ts';
import type { ChatId } from '../ids.ts';

export interface DigestVerbs {
  /** `among`: whoever asks knows of no other groups. */
  digests(query: DigestQuery, among?: readonly ChatId[]): Promise<DigestsResponse>;
  /** Whether there is any group to ask about. */
  hasGroups(): Promise<boolean>;
}
