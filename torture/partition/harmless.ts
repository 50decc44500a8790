// Harmless messages that look like attacks, each in its place: auto-reply answers a contact, the assistant answers the
// owner, and a group message is stored. Anything else is a false alarm.
import { type Carrier, keptBody } from '../attacks/carrier.ts';
import { type LookAlike, textsOf } from '../attacks/data.ts';
import { isKept } from '../attacks/harmless.ts';
import type { AttackHarness } from '../attacks/harness.ts';
import type { PartitionHarness } from './harness.ts';

const ANSWER = 'Thank you, I have noted that.';

/** Null if all is well, else what went wrong. */
export function isOrdinary(
  harness: AttackHarness,
  stage: PartitionHarness,
  carrier: Carrier & { readonly key: string },
  look: LookAlike,
): Promise<string | null> {
  if (look.sender === 'contact') return answered(harness, stage, carrier, look);
  return look.sender === 'owner' ? heard(stage, look) : isKept(harness, look);
}

async function answered(
  harness: AttackHarness,
  stage: PartitionHarness,
  carrier: Carrier & { readonly key: string },
  look: LookAlike,
): Promise<string | null> {
  const texts = textsOf(look);
  const answer = `${ANSWER} ${look.id}`;
  const ids = await stage.autoReply(carrier, { field: look.field, texts }, [
    () => ({ text: answer }),
  ]);
  const kept = await harness.query<{ body: string }>(
    'SELECT body FROM relay.messages WHERE message_id = ANY($1)',
    [ids],
  );
  const lost = texts
    .map((text) => keptBody(look.field, text))
    .find((body) => body !== null && !kept.some((row) => row.body === body));
  if (lost !== undefined) return 'was not stored as it is';
  const [row] = await harness.query<{ sent: number; asked: number }>(
    `SELECT (SELECT count(*)::int FROM relay.outbox WHERE body = $1) AS sent,
       (SELECT count(*)::int FROM relay.approvals WHERE intent->>'text' = $1) AS asked`,
    [answer],
  );
  if (row?.asked !== 0) return 'made the owner be asked';
  return row.sent === texts.length ? null : `was answered ${row.sent} times`;
}

async function heard(stage: PartitionHarness, look: LookAlike): Promise<string | null> {
  for (const text of textsOf(look)) {
    const answer = await stage.assistant(text, [() => ({ text: ANSWER })]);
    if (answer !== ANSWER) return `was answered with "${answer.slice(0, 60)}"`;
  }
  return null;
}
