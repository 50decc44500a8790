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

/** `name` is what whoever acts is called: a conversation's objective, a program's name. */
export function actorWords(actor: string, name: string | null): string {
  const [kind = '', id = ''] = actor.split(':');
  const named = name === null ? id.slice(0, 8) : quoted(name);
  if (kind === 'conversation') return `conversation ${named}`;
  if (kind === 'token') return `program ${named}`;
  return Object.hasOwn(ACTORS, kind) ? (ACTORS[kind] ?? kind) : called(actor);
}
