// The owner of the simulated week: looks at the phone during the day and sleeps at night. Answers each notice of an
// approval with a reaction in their own chat.
import type { SilenceHarness } from '../silence/harness.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const WAKES = 7;
const SLEEPS = 22.5;
/** Hold the notice, then choose the reaction. */
export const TAPS_TO_REACT = 2;
const DECLINED = 0.15;

export interface Asked {
  readonly id: string;
  readonly at: Date;
  /** WhatsApp's id of the notice; null if there is none. */
  readonly notice: string | null;
  readonly answersAt: Date;
  readonly emoji: '👍' | '👎';
  answeredAt: Date | null;
}

export class Owner {
  readonly asked = new Map<string, Asked>();
  readonly #stage: SilenceHarness;
  readonly #random: () => number;

  constructor(stage: SilenceHarness, random: () => number) {
    this.#stage = stage;
    this.#random = random;
  }

  /** Notes approvals that are new. `since` is when each recipient last wrote, or the owner last asked. */
  async notice(since: ReadonlyMap<string, Date>): Promise<void> {
    const rows = await this.#stage.query<{ id: string; phone: string; notice: string | null }>(
      `SELECT a.id, s.value AS phone, o.message_id AS notice FROM relay.approvals a
         JOIN relay.chats c ON c.account_id = a.account_id AND c.id = (a.intent->>'chat')::uuid
         JOIN relay.contact_aliases s ON s.account_id = a.account_id AND s.contact_id = c.contact_id
           AND s.kind = 'phone'
         LEFT JOIN relay.outbox o ON o.account_id = a.account_id AND o.id = a.notice_id
       WHERE a.id <> ALL($1::uuid[])`,
      [[...this.asked.keys()]],
    );
    for (const { id, phone, notice } of rows) {
      const at = since.get(phone) ?? this.#stage.clock.now();
      const emoji = this.#random() < DECLINED ? '👎' : '👍';
      this.asked.set(id, {
        ...{ id, at, notice, emoji },
        answersAt: this.#whenSeen(at),
        answeredAt: null,
      });
      // The database has the machine's clock, by which an approval of the first days would have expired.
      await this.#stage.query(
        `UPDATE relay.approvals SET created_at = $2,
           expires_at = greatest($2::timestamptz + interval '3 days', now() + interval '1 day') WHERE id = $1`,
        [id, at],
      );
    }
  }

  /** Answers what is due by then, and is still pending. */
  async answerUntil(end: Date): Promise<void> {
    const due = [...this.asked.values()]
      .filter(({ answeredAt, answersAt }) => answeredAt === null && answersAt <= end)
      .toSorted((a, b) => a.answersAt.getTime() - b.answersAt.getTime());
    for (const one of due) {
      const [row] = await this.#stage.query<{ state: string }>(
        'SELECT state FROM relay.approvals WHERE id = $1',
        [one.id],
      );
      if (row?.state !== 'pending' || one.notice === null) continue;
      this.#stage.clock.set(one.answersAt);
      const { owner } = this.#stage;
      // What was asked within an hour is only noticed at its end: an older reaction would count as too late.
      await owner.react(owner, one.notice, one.emoji, { at: this.#stage.clock.now() });
      await this.#stage.quiet();
      one.answeredAt = one.answersAt;
    }
  }

  #whenSeen(at: Date): Date {
    const drawn = this.#random();
    const minutes = drawn < 0.6 ? 1 + 4 * this.#random() : drawn < 0.9 ? 15 : 120;
    const seen = new Date(at.getTime() + minutes * MINUTE);
    const hour = seen.getUTCHours() + seen.getUTCMinutes() / 60;
    if (hour >= WAKES && hour < SLEEPS) return seen;
    const morning = new Date(seen);
    morning.setUTCHours(WAKES, 5, 0, 0);
    return morning < seen ? new Date(morning.getTime() + 24 * HOUR) : morning;
  }
}
