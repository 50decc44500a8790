// Converts actors to the names used in the ledger and in permits, and back. A token's name carries no scopes; look them
// up with `refreshActor`.

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

/**
 * Null if the name does not identify an actor. `chat` is the chat the action was for; without it, a conversation's name
 * cannot be parsed.
 */
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

// Looks up an actor's current rights. A token's scopes and contacts are read in the transaction of the decision, so
// that a revoked token loses its rights at once, whatever it had when the call arrived.

/** Null for a client whose token is no longer valid. */
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
 * The actor behind a stored name, or the reason why there is none. `chat` is the chat the action was for; without it, a
 * conversation's name cannot be parsed.
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
