// First question of the gate: may this actor do such a thing at all, whatever the target? What an
// actor's row does not list it can never do; no grant, approval or scope adds to it.
import type { Actor, Scope } from './actors.ts';
import type { Intent } from './intents.ts';
import type { ReasonFor } from './reasons.ts';

type IntentKind = Intent['kind'];

interface Power {
  readonly may: readonly IntentKind[];
  /** Why everything else is refused. */
  readonly otherwise: ReasonFor<'deny'>;
}

const ANSWER = ['send_message', 'react', 'mark_read'] as const;
const AGENT = [
  ...ANSWER,
  'schedule_message',
  'cancel_schedule',
  'create_conversation',
  'manage_grant',
] as const;

export const POWERS: Readonly<Record<Actor['kind'], Power>> = {
  owner: { may: [...AGENT, 'set_hold', 'answer_approval'], otherwise: 'no_rule' },
  assistant: { may: AGENT, otherwise: 'owner_only' },
  auto_reply: { may: ANSWER, otherwise: 'session_only_replies' },
  conversation: { may: ANSWER, otherwise: 'session_only_replies' },
  observer: { may: [], otherwise: 'observer_is_silent' },
  scheduler: { may: ['send_message'], otherwise: 'scheduler_only_sends' },
  notifier: { may: ['send_message'], otherwise: 'notifier_only_tells' },
  token: { may: [...AGENT, 'set_hold'], otherwise: 'owner_only' },
};

/** The scope a token needs for each intent; null means that no scope suffices. */
export const SCOPE_FOR: Readonly<Record<IntentKind, Scope | null>> = {
  send_message: 'messages:send',
  react: 'messages:send',
  mark_read: 'messages:send',
  schedule_message: 'schedules:write',
  cancel_schedule: 'schedules:write',
  create_conversation: 'conversations:write',
  manage_grant: 'permissions:write',
  set_hold: 'admin',
  answer_approval: null,
};

export function lacksPower(actor: Actor, intent: Intent): ReasonFor<'deny'> | null {
  if (!Object.hasOwn(POWERS, actor.kind) || !Object.hasOwn(SCOPE_FOR, intent.kind)) {
    return 'no_rule';
  }
  const power = POWERS[actor.kind];
  if (!power.may.includes(intent.kind)) return power.otherwise;
  if (actor.kind !== 'token') return null;
  const scope = SCOPE_FOR[intent.kind];
  return scope !== null && actor.scopes.includes(scope) ? null : 'missing_scope';
}
