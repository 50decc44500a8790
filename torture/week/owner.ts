// The owner of the simulated week: looks at the phone during the day and sleeps at night. Answers each approval with a
// reaction in their own chat, or with a button of the notification.
import type { ApprovalId } from '@relay/contract/ids';
import type { PushPayload } from '@relay/contract/notifications/push-payload';
import type { SilenceHarness } from '../silence/harness.ts';
import type { Phone } from './phone.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const WAKES = 7;
const SLEEPS = 22.5;
type Way = 'reaction' | 'notification';
/** Hold the notice, then choose the reaction; or press the button. */
const TAPS: Readonly<Record<Way, number>> = { reaction: 2, notification: 1 };
const DECLINED = 0.15;
const REACTS = 0.5;

export interface Asked {
  readonly id: ApprovalId;
  readonly at: Date;
  /** WhatsApp's id of the notice; null if there is none. */
  readonly notice: string | null;
  /** Null if none arrived. */
  readonly push: PushPayload | null;
  readonly answersAt: Date;
  readonly isApproved: boolean;
  readonly way: Way;
  answeredAt: Date | null;
}

export const tapsFor = (asked: readonly Asked[]): number =>
  asked.reduce((sum, { answeredAt, way }) => sum + (answeredAt === null ? 0 : TAPS[way]), 0);

export class Owner {
  readonly asked = new Map<ApprovalId, Asked>();
  readonly #stage: SilenceHarness;
  readonly #phone: Phone;
  readonly #random: () => number;

  constructor(stage: SilenceHarness, phone: Phone, random: () => number) {
    this.#stage = stage;
    this.#phone = phone;
    this.#random = random;
  }

  /** Notes approvals that are new, as of now. */
  async notice(): Promise<void> {
    const rows = await this.#stage.query<{ id: ApprovalId; notice: string | null }>(
      `SELECT a.id, o.message_id AS notice FROM relay.approvals a
         LEFT JOIN relay.outbox o ON o.account_id = a.account_id AND o.id = a.notice_id
       WHERE a.id <> ALL($1::uuid[])`,
      [[...this.asked.keys()]],
    );
    for (const { id, notice } of rows) {
      const at = this.#stage.clock.now();
      const isApproved = this.#random() >= DECLINED;
      const way = this.#random() < REACTS ? 'reaction' : 'notification';
      this.asked.set(id, {
        ...{ id, at, notice, isApproved, way },
        push: await this.#phone.shown(id),
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
      if (row?.state !== 'pending') continue;
      this.#stage.clock.set(one.answersAt);
      if (!(await this.#answer(one))) continue;
      await this.#stage.quiet();
      one.answeredAt = this.#stage.clock.now();
    }
  }

  /** False if it cannot, because nothing reached the owner this way. */
  async #answer({ way, notice, push, isApproved }: Asked): Promise<boolean> {
    const { owner, clock } = this.#stage;
    if (way === 'notification') {
      if (push === null) return false;
      await this.#phone.press(isApproved ? 'approve' : 'decline', push);
    } else {
      if (notice === null) return false;
      await owner.react(owner, notice, isApproved ? '👍' : '👎', { at: clock.now() });
    }
    return true;
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
