// An actor as it may act now: a token's scopes and contacts are looked up in the transaction of the decision,
// so that one revoked a moment ago acts no more, whatever it had when its call came in.
import type { AccountId, ChatId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import { actorOf } from '@relay/core/ports/tokens';
import type { Transaction } from '../store/database.ts';
import { readProgram } from '../store/tokens.ts';
import { actorNamed } from './actor-names.ts';

/** Null for a program whose token is no longer good. */
export async function actorNow(
  tx: Transaction,
  account: AccountId,
  actor: Actor,
): Promise<Actor | null> {
  if (actor.kind !== 'token') return actor;
  const program = await readProgram(tx, account, actor.token);
  return program === null ? null : actorOf(program);
}

/**
 * Behind a name that was written down, or why nobody is. `chat` is the one it was for; without one, no
 * session speaks.
 */
export async function actorAgain(
  tx: Transaction,
  account: AccountId,
  name: string,
  chat: ChatId | null,
): Promise<Actor | 'no_rule' | 'token_gone'> {
  const named = actorNamed(name, chat);
  return named === null ? 'no_rule' : ((await actorNow(tx, account, named)) ?? 'token_gone');
}
