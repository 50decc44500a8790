// The load: several parallel clients that act as owners and record exactly what the daemon acknowledged. Something
// without an answer may or may not have happened; something acknowledged must have.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ListedInstance } from '@relay/contract/api/instances';
import type { DaemonProcess } from '@relay/testing/daemon-process';

export interface AcknowledgedCalls {
  readonly created: Set<string>;
  readonly cancelled: Set<string>;
  /** Text of a manual message → the instance it went to. Every text is unique. */
  readonly sent: Map<string, string>;
  readonly moves: { id: string; verb: 'pause' | 'resume' }[];
}

export type OpenInstance = Pick<ListedInstance, 'id' | 'state' | 'reason'>;

const CLIENTS = 6;
const CONTACTS = 40;

export class Load {
  readonly acknowledged: AcknowledgedCalls = {
    created: new Set(),
    cancelled: new Set(),
    sent: new Map(),
    moves: [],
  };
  readonly #random: () => number;
  #texts = 0;
  #calls = 0;
  #unanswered = 0;
  readonly #refused = new Map<number, number>();
  #running = false;

  constructor(random: () => number) {
    this.#random = random;
  }

  run(daemon: DaemonProcess): Promise<void> {
    this.#running = true;
    return Promise.all(Array.from({ length: CLIENTS }, () => this.#client(daemon))).then(() => {});
  }

  async stop(stopped: Promise<void>): Promise<void> {
    this.#running = false;
    await stopped;
  }

  summary(): string {
    const { created, sent, cancelled, moves } = this.acknowledged;
    return `${this.#calls} calls, ${this.#unanswered} unanswered, refused: ${JSON.stringify(Object.fromEntries(this.#refused))}; acknowledged: ${created.size} created, ${sent.size} sent, ${cancelled.size} cancelled, ${moves.length} paused or resumed`;
  }

  /** Null while the database is unavailable. */
  async openInstances(daemon: DaemonProcess): Promise<OpenInstance[] | null> {
    const open: OpenInstance[] = [];
    let after = '';
    for (;;) {
      const { status, body } = await daemon.call('GET', `/api/instances?limit=500${after}`);
      if (status !== 200) return null;
      const page = body as OpenInstance[];
      open.push(
        ...page.filter(({ state }) => !['COMPLETED', 'ABANDONED', 'FAILED'].includes(state)),
      );
      if (page.length < 500) return open;
      after = `&after=${page.at(-1)?.id}`;
    }
  }

  async #client(daemon: DaemonProcess): Promise<void> {
    while (this.#running) {
      this.#calls += 1;
      try {
        await this.#act(daemon);
      } catch {
        this.#unanswered += 1;
        await sleep(20);
      }
    }
  }

  async #act(daemon: DaemonProcess): Promise<void> {
    const dice = this.#random();
    if (dice < 0.35 || this.acknowledged.created.size === 0) return this.#create(daemon);
    const id = this.#anyInstance();
    if (dice < 0.6) return this.#send(daemon, id);
    if (dice < 0.8) return this.#move(daemon, id, 'pause');
    if (dice < 0.97) return this.#move(daemon, id, 'resume');
    return this.#cancel(daemon, id);
  }

  /** Mostly a recent one: old ones have ended. */
  #anyInstance(): string {
    const all = [...this.acknowledged.created];
    const recent = Math.min(all.length, 60);
    return all[all.length - 1 - Math.floor(this.#random() * recent)] as string;
  }

  async #create(daemon: DaemonProcess): Promise<void> {
    const contact = `+1415555${String(1000 + Math.floor(this.#random() * CONTACTS))}`;
    const { status, body } = await daemon.call('POST', '/api/instances', {
      objective: 'come to an end',
      target_contact: contact,
      heartbeat_config: { interval_ms: 1_000, max_followups: 1 },
    });
    if (status === 201) this.acknowledged.created.add((body as { id: string }).id);
    else await this.#refuse(status);
  }

  async #send(daemon: DaemonProcess, id: string): Promise<void> {
    this.#texts += 1;
    const message = `by hand ${this.#texts}`;
    const { status } = await daemon.call('POST', `/api/instances/${id}/send`, { message });
    if (status === 200) this.acknowledged.sent.set(message, id);
    else await this.#refuse(status);
  }

  async #move(daemon: DaemonProcess, id: string, verb: 'pause' | 'resume'): Promise<void> {
    const { status } = await daemon.call('POST', `/api/instances/${id}/${verb}`);
    if (status === 200) this.acknowledged.moves.push({ id, verb });
    else await this.#refuse(status);
  }

  async #cancel(daemon: DaemonProcess, id: string): Promise<void> {
    const { status } = await daemon.call('POST', `/api/instances/${id}/cancel`);
    if (status === 200) this.acknowledged.cancelled.add(id);
    else await this.#refuse(status);
  }

  async #refuse(status: number): Promise<void> {
    this.#refused.set(status, (this.#refused.get(status) ?? 0) + 1);
    // 409 is a refusal of the state machine, 503 an unavailable database; anything else is a fault.
    if (status === 503) await sleep(50);
    else if (status !== 409) throw new Error(`answered ${status}`);
  }
}
