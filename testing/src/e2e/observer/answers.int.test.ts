// An observed group end to end: Relay only reads it, and answers only the owner's direct request, at a limited rate,
// from the group's own context. Sending is paced as for real accounts, but faster.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import type { Person } from '../acceptance/person.ts';
import { eventually } from '../gateway.ts';
import { type Group, type GroupHarness, openGroupHarness } from './group.ts';

const PACING = { enabled: true, per_minute: 600, per_hour: 6_000, per_day: 60_000 };

let harness: GroupHarness;
let mum: Person;
let papa: Person;
let family: Group;
beforeAll(async () => {
  harness = await openGroupHarness({
    settings: { pacing: { ...PACING, typing_min_ms: 20, typing_max_ms: 40 } },
  });
  mum = await harness.world.person('Mum');
  papa = await harness.world.person('Papa');
  family = await harness.observed('Holliday', mum, papa);
});
afterAll(() => harness.world.end());

/** The owner asks and is answered. */
async function answered(group: Group, question: string, answer: string): Promise<string> {
  harness.sorts(question, 'direct_request');
  harness.answers(question, answer);
  const asked = await group.asks(`Annie, ${question}`);
  await group.reads(mum, answer);
  return asked;
}

describe('an observed group', () => {
  it('is received completely without any answer, and no model is asked', async () => {
    verifies('004-SILENT', '004-ANTI-UNADDRESSED', '004-ANTI-FATIGUE', '004-IN-ACCOUNT');
    const before = harness.world.model.calls().length;
    const ids = [
      await family.says(mum.phone, 'Dinner on Saturday at 8, who brings the salad?'),
      await family.says(papa.phone, 'I bring the salad'),
      await family.asks('Good, I bring wine'),
      await family.says(papa.phone, '😂😂'),
    ];
    for (const id of ids) expect(await harness.known(id)).toEqual(['observed']);
    const kept = await harness.world.relay.query(
      `SELECT m.message_id, m.body, o.noise, p.push_name, c.subject, m.received_at - m.sent_at < interval '60 s' AS at_once
       FROM relay.observed_messages o JOIN relay.messages m ON m.id = o.message
         JOIN relay.chats c ON c.id = o.chat_id LEFT JOIN relay.contacts p ON p.id = m.sender_id
       WHERE m.message_id = ANY($1) ORDER BY m.id`,
      [ids],
    );
    expect(kept).toEqual([
      {
        ...{ message_id: ids[0], body: 'Dinner on Saturday at 8, who brings the salad?' },
        ...{ noise: false, push_name: 'Mum', subject: 'Holliday', at_once: true },
      },
      expect.objectContaining({ message_id: ids[1], noise: false, push_name: 'Papa' }),
      expect.objectContaining({ message_id: ids[2], noise: false, push_name: null }),
      expect.objectContaining({ message_id: ids[3], noise: true, push_name: 'Papa' }),
    ]);
    expect(harness.world.model.calls()).toHaveLength(before);
    expect(family.traces()).toEqual({});
  });

  it("gets one signed answer to the owner's direct request, without typing or read receipts", async () => {
    verifies('004-ADDRESSED', '004-TRIGGER-DIRECT', '004-TRIGGER-CLASSIFY');
    verifies('004-PRIV-NO-TYPING', '004-PRIV-NO-RECEIPTS');
    const sorted = harness.sorted().length;
    const asked = await answered(family, 'what is the plan for Saturday?', 'Dinner at 8.');
    expect(await family.heardBy(mum)).toEqual(['Dinner at 8.\n\n[BOT]']);
    expect(await family.heardBy(papa)).toEqual(['Dinner at 8.\n\n[BOT]']);
    expect(family.traces()).toEqual({ message: 1 });
    // One request to classify the mention, with the last messages; one for the answer.
    expect(harness.sorted()).toHaveLength(sorted + 1);
    const shown = harness.sorted().at(-1)?.messages[1]?.content ?? '';
    expect(shown).toContain('Dinner on Saturday at 8, who brings the salad?');
    expect(shown.split('"from"').length - 1).toBeLessThanOrEqual(11);
    expect(harness.sorted().at(-1)?.tools ?? []).toEqual([]);
    expect(await harness.reasons(asked)).toEqual(['observed', 'replied']);
    expect(await harness.world.says('why', asked)).toContain('Answered by your assistant');
    // Elsewhere typing is visible, so its absence above is meaningful.
    await harness.world.says('messages', 'send', `+${mum.phone}`, 'a word in private');
    await mum.reads('a word in private');
    const { stanzas } = harness.world.simulator.network;
    expect(stanzas.map(({ stanza }) => stanza.tag)).toContain('chatstate');
    expect(family.traces()).toEqual({ message: 1 });
  });

  it('gets no answer to a second request within five minutes, at no cost', async () => {
    verifies('004-CADENCE-5-MIN', '004-ANTI-OVER-RESPOND');
    const asked = harness.world.model.calls().length;
    const again = await family.asks('Annie, and who brings the salad?');
    expect(await harness.settles(again, 2)).toEqual(['observed', 'cadence']);
    expect(harness.world.model.calls()).toHaveLength(asked);
    expect(family.traces()).toEqual({ message: 1 });
    await harness.passes(family, 4);
    const still = await family.asks('Annie, who brings the salad then?');
    expect(await harness.settles(still, 2)).toEqual(['observed', 'cadence']);
    await harness.passes(family, 2);
    await answered(family, 'so who brings the salad?', 'Papa does.');
    expect(family.traces()).toEqual({ message: 2 });
  });

  it.each<[string, string, () => void]>([
    ['mention_only', 'I told Annie about it', () => verifies('004-TRIGGER-MENTION')],
    ['false_positive', 'Annie’s grandma called', () => verifies('004-TRIGGER-FALSE')],
    ['Sure! I think the owner wants me to answer this one.', 'hm, Annie', () => undefined],
  ])('gets no answer to a mention that is %s', async (label, text, cite) => {
    cite();
    await harness.passes(family, 10);
    harness.sorts(text, label);
    const [said, calls] = [family.traces(), harness.answered().length];
    const mention = await family.asks(text);
    const reason = label.includes(' ') ? 'unclear' : label;
    expect(await harness.settles(mention, 2)).toEqual(['observed', reason]);
    expect(harness.sorted().at(-1)?.messages[1]?.content).toContain(text);
    expect(family.traces()).toEqual(said);
    expect(harness.answered()).toHaveLength(calls);
  });

  it('gets an answer only for the owner, whatever others call themselves', async () => {
    verifies('004-TRIGGER-OWNER', '004-PRIV-OWNER-ONLY');
    await harness.passes(family, 10);
    const [said, calls] = [family.traces(), harness.world.model.calls().length];
    const imposter = await harness.world.person('Olga Owner');
    const other = await harness.observed('Neighbours', mum, imposter);
    for (const [group, phone] of [
      [family, mum.phone],
      [other, imposter.phone],
    ] as const) {
      const mention = await group.says(phone, 'Annie, what is the plan for Saturday?');
      expect(await harness.settles(mention, 2)).toEqual(['observed', 'not_owner']);
      expect(await harness.world.says('why', mention)).toContain('someone other than you');
    }
    expect(harness.world.model.calls()).toHaveLength(calls);
    expect(family.traces()).toEqual(said);
    expect(other.traces()).toEqual({});
  });

  it('gets no answer to a request that waited too long', async () => {
    await harness.passes(family, 10);
    const at = new Date(Date.now() - 10 * 60_000);
    const late = await family.asks('Annie, are we late?', { at });
    expect(await harness.settles(late, 2)).toEqual(['observed', 'too_old']);
  });

  it('gets no answer to a request that is deleted', async () => {
    await harness.passes(family, 10);
    harness.sorts('forget what I said', 'direct_request', { delay_ms: 4_000 });
    harness.answers('forget what I said', 'I will not forget.');
    const said = family.traces();
    const asked = await family.asks('Annie, forget what I said?');
    await eventually('the question to the model', async () =>
      harness.sorted().at(-1)?.messages[1]?.content.includes('forget what I said')
        ? true
        : undefined,
    );
    await family.takesBack(asked);
    await eventually('it to be taken back', async () => {
      const rows = await harness.world.relay.query(
        `SELECT 1 FROM relay.observer_requests WHERE reason = 'taken_back'`,
      );
      return rows.length > 0 ? true : undefined;
    });
    await answered(family, 'was that all?', 'Yes, that was all.');
    expect(family.traces().message).toBe((said.message ?? 0) + 1);
    expect((await family.heardBy(mum)).join()).not.toContain('I will not forget');
  });
});
