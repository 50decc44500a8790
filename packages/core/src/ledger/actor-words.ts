// Who acted, in the words a person would use.
import { called, quoted } from './words.ts';

const ACTORS: Readonly<Record<string, string>> = {
  owner: 'you',
  router: 'router',
  recheck: 're-check',
  relay: 'Relay',
  notifier: 'Relay',
  scheduler: 'scheduler',
  assistant: 'assistant',
  auto_reply: 'auto-reply',
  observer: 'observer',
};

/** `objective` is of the conversation that acts, where one does. */
export function actorWords(actor: string, objective: string | null): string {
  const [kind = '', id = ''] = actor.split(':');
  if (kind === 'conversation') {
    return objective === null
      ? `conversation ${id.slice(0, 8)}`
      : `conversation ${quoted(objective)}`;
  }
  if (kind === 'token') return `token ${id.slice(0, 8)}`;
  return Object.hasOwn(ACTORS, kind) ? (ACTORS[kind] ?? kind) : called(actor);
}
