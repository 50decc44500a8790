// The owner's create under a key of their own: the same again makes no second conversation and is answered as the
// first was. A refusal is not kept, so that the key is good once the way is free.
import { createHash } from 'node:crypto';
import type { CreateInstanceRequest, CreateInstanceResponse } from '@relay/core/api/instances';
import { actorName } from '../../gate/actor-names.ts';
import type { Circumstances } from '../../gate/consider.ts';
import type { Work } from '../../jobs/work.ts';
import { claimKey, keepAnswer } from '../../store/answered-keys.ts';
import { type Created, create } from './create.ts';
import type { ConversationWorld } from './work.ts';

const OWNER = { kind: 'owner' } as const;

export async function createOnce(
  world: ConversationWorld,
  work: Work,
  request: CreateInstanceRequest,
  key: string,
  circumstances: Circumstances,
): Promise<Created | CreateInstanceResponse> {
  const asked = {
    account: world.lease.account,
    actor: actorName(OWNER),
    key,
    hash: createHash('sha256')
      .update(`create_conversation\n${JSON.stringify(request)}`)
      .digest(),
  };
  const before = await claimKey(work.tx, asked);
  if (before !== null) return before as CreateInstanceResponse;
  const created = await create(world, work, request, OWNER, circumstances);
  await keepAnswer(work.tx, asked, created.made);
  return created;
}
