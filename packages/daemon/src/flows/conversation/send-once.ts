// The owner's message under a key of their own: the same again sends nothing and is answered with the line that there
// is. A refusal is not kept, so that the key is good once the way is free.
import { createHash } from 'node:crypto';
import { RelayError } from '@relay/core/errors';
import type { InstanceId } from '@relay/core/ids';
import { actorName } from '../../gate/actor-names.ts';
import type { Work } from '../../jobs/work.ts';
import { claimKey, keepAnswer } from '../../store/answered-keys.ts';
import { type LineRow, linesOf } from './rows.ts';
import type { ConversationWorld } from './work.ts';

interface Keyed {
  readonly id: InstanceId;
  readonly message: string;
  readonly key: string;
}

export async function sendOnce(
  { lease: { account } }: ConversationWorld,
  work: Work,
  { id, message, key }: Keyed,
  send: (work: Work) => Promise<LineRow | RelayError>,
): Promise<LineRow | RelayError> {
  const asked = {
    account,
    actor: actorName({ kind: 'owner' }),
    key,
    hash: createHash('sha256').update(`send_by_hand\n${id}\n${message}`).digest(),
  };
  const before = (await claimKey(work.tx, asked)) as { readonly line: number } | null;
  if (before !== null) {
    return linesOf(work.tx, account, id).where('m.id', '=', before.line).executeTakeFirstOrThrow();
  }
  const said = await send(work);
  await keepAnswer(work.tx, asked, said instanceof RelayError ? null : { line: said.id });
  return said;
}
