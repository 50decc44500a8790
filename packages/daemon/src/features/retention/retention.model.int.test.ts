import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { enforceRetention } from './enforce.ts';
import { openRetentionFixture } from './testing/fixture.ts';

const fixture = await openRetentionFixture();
const { account, retention, sql, deps } = fixture;
const numRuns = process.env.PROPERTY_RUNS ? 100 : 12;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PEOPLE = [0, 1, 2] as const;
const GROUPS = [0, 1] as const;

const person = fc.constantFrom(...PEOPLE);
const group = fc.constantFrom(...GROUPS);
// Days around the limits, where one day too many or too few would show.
const back = fc.oneof(fc.integer({ min: 0, max: 45 }), fc.constantFrom(28, 29, 30, 31));
const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('say' as const), group, person, back }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('write' as const), person, back, mine: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('digest' as const), group, back }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      days: fc.integer({ min: 1, max: 20 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('limit' as const),
      of: fc.oneof(fc.record({ person }), fc.record({ group }), fc.constant('all' as const)),
      days: fc.constantFrom(0, 10, 29, 40, null),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('enforce' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), person }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('observe' as const), group, on: fc.boolean() }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** The expected content, in the simplest form. */
class Model {
  now = Date.now();
  readonly #people = new Map<number, { contact: string; chat: string }>();
  readonly #groups = new Map<number, string>();
  readonly #observed = new Set<string>();
  readonly #once = new Map<string, number>();
  readonly #limits = new Map<string, number>();
  #limitOfAll = 0;
  #messages: { id: string; chat: string; by: number | null; at: number; inGroup: boolean }[] = [];
  #digests: { id: string; chat: string; start: number; end: number }[] = [];

  async run(step: Command): Promise<void> {
    switch (step.do) {
      case 'say':
        return this.#put(await this.#group(step.group), step.person, step.back, true);
      case 'write':
        return this.#put(
          (await this.#person(step.person)).chat,
          step.mine ? null : step.person,
          step.back,
          false,
        );
      case 'digest':
        return this.#digest(await this.#group(step.group), step.back);
      case 'observe':
        return this.#observe(await this.#group(step.group), step.on);
      case 'limit':
        return this.#limit(step);
      case 'pass':
        this.now += step.days * DAY;
        return;
      case 'enforce':
        return this.#enforce();
      case 'forget':
        return this.#forget(step.person);
    }
  }

  async agrees(): Promise<void> {
    const chats = [...this.#groups.values(), ...[...this.#people.values()].map(({ chat }) => chat)];
    const there = async (table: string, id: string) =>
      (await sql(`SELECT ${id} AS id FROM ${table} WHERE chat_id = ANY($1)`, [chats]))
        .map((row) => row.id)
        .sort();
    expect(await there('messages', 'message_id')).toEqual(
      this.#messages.map(({ id }) => id).sort(),
    );
    expect(await there('message_keys', 'message_id')).toEqual(
      this.#messages.map(({ id }) => id).sort(),
    );
    expect(await there('digests', 'id')).toEqual(this.#digests.map(({ id }) => id).sort());
  }

  async #person(n: number) {
    const known = this.#people.get(n);
    if (known !== undefined) return known;
    const fresh = { contact: randomUUID(), chat: randomUUID() };
    await sql('INSERT INTO contacts (account_id, id) VALUES ($1, $2)', [account, fresh.contact]);
    await sql(
      `INSERT INTO chats (account_id, id, kind, contact_id) VALUES ($1, $2, 'direct', $3)`,
      [account, fresh.chat, fresh.contact],
    );
    this.#people.set(n, fresh);
    return fresh;
  }

  async #group(n: number): Promise<string> {
    const known = this.#groups.get(n);
    if (known !== undefined) return known;
    const id = randomUUID();
    await sql(
      `INSERT INTO chats (account_id, id, kind, group_address) VALUES ($1, $2, 'group', $3)`,
      [account, id, `${id}@g.us`],
    );
    this.#groups.set(n, id);
    return id;
  }

  async #put(chat: string, by: number | null, days: number, inGroup: boolean): Promise<void> {
    const at = this.now - days * DAY;
    const message = randomUUID();
    const sender = by === null ? null : (await this.#person(by)).contact;
    await sql('SELECT ensure_message_month($1)', [new Date(at)]);
    await sql(
      `WITH stored AS (INSERT INTO messages (account_id, chat_id, sent_at, sender_id, from_me, message_id, kind, body)
         VALUES ($1, $2, $3, $4, $5, $6, 'conversation', 'hello') RETURNING id)
       INSERT INTO message_keys (account_id, chat_id, sender, message_id, id, sent_at)
       SELECT $1, $2, coalesce($4::text, 'me'), $6, id, $3 FROM stored`,
      [account, chat, new Date(at), sender, sender === null, message],
    );
    this.#messages.push({ id: message, chat, by, at, inGroup });
  }

  async #digest(chat: string, days: number): Promise<void> {
    const start = this.now - days * DAY - HOUR / 2;
    if (this.#digests.some((known) => known.chat === chat && known.start === start)) return;
    const id = randomUUID();
    const end = start + HOUR;
    await sql(
      `INSERT INTO digests (account_id, id, chat_id, kind, period_start, period_end, body, tokens)
       VALUES ($1, $2, $3, 'hourly', $4, $5, 'so it was', 1)`,
      [account, id, chat, new Date(start), new Date(end)],
    );
    this.#digests.push({ id, chat, start, end });
  }

  async #observe(chat: string, on: boolean): Promise<void> {
    if (on === this.#observed.has(chat)) return;
    if (on) {
      await sql(`INSERT INTO observed_groups (account_id, chat_id, zone) VALUES ($1, $2, 'UTC')`, [
        account,
        chat,
      ]);
      this.#observed.add(chat);
    } else {
      await sql('DELETE FROM observed_groups WHERE chat_id = $1', [chat]);
      await sql('UPDATE once_observed SET until = $2 WHERE chat_id = $1', [
        chat,
        new Date(this.now),
      ]);
      this.#observed.delete(chat);
      this.#once.set(chat, this.now);
    }
  }

  async #limit({ of, days }: Extract<Command, { do: 'limit' }>): Promise<void> {
    if (of === 'all') {
      this.#limitOfAll = days ?? 0;
      return;
    }
    const chat = 'group' in of ? await this.#group(of.group) : (await this.#person(of.person)).chat;
    await retention.service.setChat(chat, days);
    if (days === null) this.#limits.delete(chat);
    else this.#limits.set(chat, days);
  }

  async #enforce(): Promise<void> {
    fixture.setNow(new Date(this.now));
    const limits = { ...deps.limits, messages_days: this.#limitOfAll };
    await enforceRetention({ ...deps, limits }, 'start');
    const limit = this.now - 30 * DAY;
    this.#messages = this.#messages.filter(({ chat, at }) => {
      const days = this.#limits.get(chat) ?? this.#limitOfAll;
      if (days > 0 && at < this.now - days * DAY) return false;
      if (this.#observed.has(chat)) return at >= limit;
      const until = this.#once.get(chat);
      return until === undefined || at >= Math.min(limit, until);
    });
    this.#digests = this.#digests.filter(({ end }) => end >= this.now - 28 * DAY);
    for (const [chat, until] of this.#once) {
      if (!this.#messages.some((message) => message.chat === chat && message.at <= until))
        this.#once.delete(chat);
    }
  }

  async #forget(n: number): Promise<void> {
    const gone = this.#people.get(n);
    if (gone === undefined) return;
    await retention.service.forget(gone.contact);
    const theirs = this.#messages.filter(({ by, inGroup }) => by === n && inGroup);
    this.#digests = this.#digests.filter(
      ({ chat, start, end }) =>
        !theirs.some((message) => message.chat === chat && message.at >= start && message.at < end),
    );
    this.#messages = this.#messages.filter(({ chat, by }) => chat !== gone.chat && by !== n);
    this.#people.delete(n);
  }
}

test('erases exactly what is too old or belongs to an erased contact, after any sequence of messages, limits, digests, observation, erasures and time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 30 }), async (steps) => {
      const model = new Model();
      for (const step of steps) {
        await model.run(step);
        if (step.do === 'enforce' || step.do === 'forget') await model.agrees();
      }
      await model.run({ do: 'enforce' });
      await model.agrees();
      await sql('TRUNCATE chats, contacts, messages, message_keys CASCADE');
    }),
    { numRuns },
  );
}, 600_000);
