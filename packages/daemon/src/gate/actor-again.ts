// The actor behind a name that was written down, as it may act now: a token's scopes and contacts are looked
// up in the transaction of the decision, so that one revoked a moment ago acts no more.
import type { AccountId, ChatId } from '@relay/core/ids';
import { tokenId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import { actorOf } from '@relay/core/ports/tokens';
import type { Transaction } from '../store/database.ts';
import { readProgram } from '../store/tokens.ts';
import { actorNamed } from './actor-names.ts';

const TOKEN = 'token:';

/** Null for one who can act no more. `chat` is the one it was for; without one, no session speaks. */
export async function actorAgain(
  tx: Transaction,
  account: AccountId,
  name: string,
  chat: ChatId | null,
): Promise<Actor | null> {
  if (!name.startsWith(TOKEN)) return actorNamed(name, chat);
  const program = await readProgram(tx, account, tokenId(name.slice(TOKEN.length)));
  return program === null ? null : actorOf(program);
}
