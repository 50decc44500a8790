// A person and their group with a canary in every column that may hold anything of somebody: what the tests of
// erasure begin with. The database's own constraints hold, so what stands there could stand there.
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';
import { agents, conversation, gate, observer, others } from './done.ts';
import { people, spoken } from './said.ts';
import { type PlantOptions, Sowing, type Sql } from './sow.ts';

export interface Planted {
  /** Begins every canary. */
  readonly tag: string;
  readonly contact: ContactId;
  readonly chat: ChatId;
  readonly group: ChatId;
  readonly phone: string;
  readonly messages: readonly string[];
}

export async function plant(
  sql: Sql,
  account: AccountId,
  options: PlantOptions = {},
): Promise<Planted> {
  const sowing = new Sowing(sql, account, options);
  const areas = [people, spoken, gate, conversation, agents, observer, others];
  for (const area of areas) await area(sowing);
  return sowing;
}
