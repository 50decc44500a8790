// The same attacks from somebody without a grant and without a conversation: they are stored and nothing else. No model
// is asked, nothing is sent, and no approval is created.
import { toStorableText } from '@relay/core/messages/text';
import { eventually } from '@relay/testing/e2e/gateway';
import { deliver, keptBody } from './carrier.ts';
import { type Attack, type Field, textsOf } from './data.ts';
import type { AttackHarness } from './harness.ts';
import type { Judge } from './judge.ts';

const FEW = 16;

export interface Strangers {
  readonly stored: number;
  readonly modelCalls: number;
  readonly sent: number;
  /** Messages whose text is in the stored body, and those of which only the kind is stored. */
  readonly carried: Readonly<Partial<Record<Field, { text: number; kind: number }>>>;
}

export async function attackAsStranger(
  harness: AttackHarness,
  judge: Judge,
  attacks: readonly Attack[],
  asked: () => number,
): Promise<Strangers> {
  const { network } = harness.demo.simulator;
  const stranger = harness.fixtures.contacts.find(({ key }) => key === 'attacker2');
  const from = network.account(stranger?.phone ?? '');
  if (from === undefined) throw new Error('nobody is the stranger');
  const { owner: to } = harness;
  const group = network.createGroup({ subject: 'Nobody', owner: from, members: [to] });
  const before = { asked: asked(), approvals: await waiting(harness) };
  await judge.outbox();

  const ids = new Map<string, { attack: Attack; text: string }>();
  for (const attack of attacks) {
    const texts = textsOf(attack);
    const sent = await deliver({ from, to, group }, attack.field, texts);
    for (const [at, id] of sent.entries()) ids.set(id, { attack, text: texts[at] ?? '' });
    // A burst, but short enough that pending work does not fill the memory.
    if (ids.size % FEW === 0) await stored(harness, [...ids.keys()].slice(-FEW), FEW);
  }
  const kept = await stored(harness, [...ids.keys()], ids.size);
  const carried: Partial<Record<Field, { text: number; kind: number }>> = {};
  for (const [id, { attack, text }] of ids) {
    const { text: texts, kind: kinds } = carried[attack.field] ?? { text: 0, kind: 0 };
    const asText = kept.get(id)?.includes(toStorableText(text)) ? 1 : 0;
    carried[attack.field] = { text: texts + asText, kind: kinds + 1 - asText };
    // No text column can store a NUL: it is shown as a mark, and the bytes are stored beside it.
    const wanted = keptBody(attack.field, toStorableText(text));
    const body = kept.get(id);
    if (body === undefined) judge.fault(attack.id, 'was not stored');
    else if (wanted !== null && body !== wanted)
      judge.fault(attack.id, `was stored as ${JSON.stringify(body).slice(0, 60)}, not as it is`);
  }
  await routed(harness, [...ids.keys()]);
  const modelCalls = asked() - before.asked;
  const sent = await judge.outbox();
  if (modelCalls > 0) judge.fault('stranger', `a model was asked ${modelCalls} times`);
  if (sent > 0) judge.fault('stranger', `${sent} messages were sent`);
  if ((await waiting(harness)) !== before.approvals) judge.fault('stranger', 'the owner was asked');
  await judge.after('stranger');
  return { stored: kept.size, modelCalls, sent, carried };
}

async function stored(
  harness: AttackHarness,
  ids: readonly string[],
  count: number,
): Promise<Map<string, string>> {
  return eventually(
    `${count} messages of a stranger`,
    async () => {
      const rows = await harness.query<{ message_id: string; body: string }>(
        'SELECT message_id, body FROM relay.messages WHERE message_id = ANY($1)',
        [ids],
      );
      const found = new Map(rows.map(({ message_id, body }) => [message_id, body]));
      return found.size >= count ? found : undefined;
    },
    60_000,
  );
}

/** Waits until the router has decided about each message. */
async function routed(harness: AttackHarness, ids: readonly string[]): Promise<void> {
  await eventually('the router', async () => {
    const [row] = await harness.query<{ n: number }>(
      "SELECT count(DISTINCT subject_id)::int AS n FROM relay.ledger WHERE action = 'route_message' AND subject_id = ANY($1)",
      [ids],
    );
    return row?.n === ids.length || undefined;
  });
}

async function waiting(harness: AttackHarness): Promise<number> {
  const [row] = await harness.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM relay.approvals',
  );
  return row?.n ?? 0;
}
