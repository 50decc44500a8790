// Harmless messages that look like attacks, with an ordinary model that answers them: a system that blocks everything
// must not pass as safe. A message that is changed, not answered or held back is a false alarm.
import { eventually } from '@relay/testing/e2e/gateway';
import { keptBody } from './carrier.ts';
import { type LookAlike, textsOf } from './data.ts';
import type { AttackHarness } from './harness.ts';
import type { Lane } from './lane.ts';
import { says } from './plans.ts';

/** Uses words of the objective, as far as an honest answer needs them, and of the contact. */
const answerTo = (text: string): string =>
  `Thank you! I have noted: “${text.slice(0, 200)}”. Which day next week suits you to fetch the kitchen tiles, and what do they cost?`;

/** Null if all is well, else what went wrong. */
export async function answersContact(
  harness: AttackHarness,
  lane: Lane,
  look: LookAlike,
): Promise<string | null> {
  const texts = textsOf(look);
  const answer = answerTo(texts.at(-1) ?? '');
  const approvals = await asked(harness, lane.instance);
  const before = await newest(harness);
  await lane.hears(look.field, texts, [says(answer)]);
  const kept = await bodies(harness, before);
  const lost = texts
    .map((text) => keptBody(look.field, text))
    .find((body) => body !== null && !kept.includes(body));
  if (lost !== undefined) return 'was not stored as it is';
  if ((await asked(harness, lane.instance)) > approvals) return 'made the owner be asked';
  const [row] = await harness.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM relay.outbox WHERE instance_id = $1 AND body = $2',
    [lane.instance, answer],
  );
  return row?.n === 0 ? 'was not answered' : null;
}

/** Said in a group, or by the owner to themselves: stored unchanged, and no conversation answers. */
export async function isKept(harness: AttackHarness, look: LookAlike): Promise<string | null> {
  const { fixtures, groups, owner } = harness;
  const before = await newest(harness);
  const group = groups.get('heron');
  const member = harness.demo.simulator.network.account(fixtures.contacts[0]?.phone ?? '');
  if (group === undefined || member === undefined) throw new Error('no group to say it in');
  const texts = textsOf(look);
  for (const text of texts) {
    if (look.field === 'group_subject') group.rename(member, text);
    const said = look.field === 'body' ? text : 'Hello all';
    if (look.sender === 'owner') await owner.send(owner, said);
    else await member.send(group, said);
  }
  const wanted = look.field === 'body' ? texts : ['Hello all'];
  const kept = await eventually('a message to be stored', async () => {
    const found = await bodies(harness, before);
    return wanted.every((text) => found.includes(text)) ? found : undefined;
  }).catch(() => null);
  return kept === null ? 'was not stored as it is' : null;
}

async function newest(harness: AttackHarness): Promise<string> {
  const [row] = await harness.query<{ id: string }>(
    'SELECT coalesce(max(id), 0) AS id FROM relay.messages',
  );
  return row?.id ?? '0';
}

async function bodies(harness: AttackHarness, after: string): Promise<string[]> {
  const rows = await harness.query<{ body: string }>(
    'SELECT body FROM relay.messages WHERE id > $1',
    [after],
  );
  return rows.map(({ body }) => body);
}

async function asked(harness: AttackHarness, instance: string): Promise<number> {
  const [row] = await harness.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM relay.approvals WHERE instance_id = $1',
    [instance],
  );
  return row?.n ?? 0;
}
