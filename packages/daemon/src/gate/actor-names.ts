// Who, as ledger and permits name them, and back again. A name leads back to an actor only where it says
// enough: a token comes back without scopes, which have to be looked up.
import type { ChatId } from '@relay/core/ids';
import { chatId, instanceId, runId, tokenId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';

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
export function actorNamed(name: string, chat: ChatId | null): Actor | null {
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
