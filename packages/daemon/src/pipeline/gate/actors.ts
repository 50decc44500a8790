// Who, as ledger and permits name them, and back again. A name leads back to an actor only where it says
// enough: a token comes back without scopes, which have to be looked up.

import {
  type AccountId,
  type ChatId,
  chatId,
  instanceId,
  runId,
  tokenId,
} from '@relay/contract/ids';
import { type Actor, tokenActor } from '@relay/core/policy/actors';
import type { Transaction } from '../../platform/db/database.ts';
import { readTokenClient } from '../../platform/db/tokens.ts';

export function actorName(actor: Actor): string {
  switch (actor.kind) {
    case 'conversation':
      return `conversation:${actor.instance}`;
    case 'token':
      return `token:${actor.token}`;
    case 'assistant':
      return `assistant:${actor.run}`;
    case 'auto_reply':
    case 'observer':
      return `${actor.kind}:${actor.chat}`;
    case 'owner':
    case 'scheduler':
    case 'notifier':
      return actor.kind;
  }
}

/** Null for one whose name does not say enough. `chat` is the one it was for; without one, no session speaks. */
export function parseActorName(name: string, chat: ChatId | null): Actor | null {
  const [kind, id = ''] = name.split(':');
  switch (kind) {
    case 'owner':
    case 'notifier':
    case 'scheduler':
      return { kind };
    case 'conversation':
      return chat === null ? null : { kind, instance: instanceId(id), chat };
    case 'assistant':
      return { kind, run: runId(id) };
    case 'auto_reply':
      return { kind, chat: chatId(id) };
    case 'token':
      return { kind, token: tokenId(id), scopes: [], contacts: [] };
    default:
      return null;
  }
}

// An actor as it may act now: a token's scopes and contacts are looked up in the transaction of the decision,
// so that one revoked a moment ago acts no more, whatever it had when its call came in.

/** Null for a program whose token is no longer good. */
export async function refreshActor(
  tx: Transaction,
  account: AccountId,
  actor: Actor,
): Promise<Actor | null> {
  if (actor.kind !== 'token') return actor;
  const program = await readTokenClient(tx, account, actor.token);
  return program === null ? null : tokenActor(program);
}

/**
 * Behind a name that was written down, or why nobody is. `chat` is the one it was for; without one, no
 * session speaks.
 */
export async function loadNamedActor(
  tx: Transaction,
  account: AccountId,
  name: string,
  chat: ChatId | null,
): Promise<Actor | 'no_rule' | 'token_gone'> {
  const named = parseActorName(name, chat);
  return named === null ? 'no_rule' : ((await refreshActor(tx, account, named)) ?? 'token_gone');
}
