// The one decision of the gate, pure: same actor, intent and facts, same answer. Made when an intent
// is submitted and again just before it is sent. Each question may only narrow what the one before
// left open; a yes at the end needs every one of them, and no rule means no.
import type { Actor } from './actors.ts';
import { authorityFor } from './authority.ts';
import { doubtAbout, isOpening } from './doubt.ts';
import type { Facts } from './facts.ts';
import type { Intent } from './intents.ts';
import { refusedPlace } from './place.ts';
import { lacksPower } from './power.ts';
import { because, type Decision, type ReasonCode, type ReasonFor } from './reasons.ts';

export function decide(actor: Actor, intent: Intent, facts: Facts): Decision {
  const refusal = lacksPower(actor, intent) ?? refusedPlace(actor, intent, facts);
  if (refusal !== null) return because(refusal);

  const authority = authorityFor(actor, intent, facts);
  if (because(authority).outcome === 'deny') return because(authority);

  const opening = refusedOpening(intent, facts);
  if (opening !== null) return because(opening);

  return because(
    withApproval(doubtAbout(actor, intent, facts, authority) ?? authority, intent, facts),
  );
}

/**
 * A first contact that would endanger the account, so that not even the owner's yes makes one. The daily limit is none
 * of these: the message waits in the outbox until there is room for it.
 */
function refusedOpening(intent: Intent, facts: Facts): ReasonFor<'deny'> | null {
  // A schedule opens nothing before its day, and is asked again then.
  if (!isOpening(intent, facts) || intent.kind === 'schedule_message') return null;
  if (facts.timeLocked) return 'time_locked';
  if (facts.firstContactsOff) return 'first_contact_cap';
  return facts.unregistered ? 'not_on_whatsapp' : null;
}

/** An approval answers a doubt and nothing else: it never lifts a refusal. */
function withApproval(reason: ReasonCode, intent: Intent, { approval }: Facts): ReasonCode {
  if (because(reason).outcome !== 'needs_approval' || approval === null) return reason;
  if (!('hash' in intent) || intent.hash !== approval.hash) return 'approval_differs';
  return approval.spent ? 'approval_spent' : 'approved';
}
