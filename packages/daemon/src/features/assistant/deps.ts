// What the assistant needs of the world, handed to it by main.

import type { ApprovalService, HoldService } from '@relay/contract/api/approvals';
import type { DigestService } from '@relay/contract/api/digests';
import type { ConversationService } from '@relay/contract/api/instances';
import type { ScheduleService } from '@relay/contract/api/schedules';
import type { DaemonStatus } from '@relay/contract/api/status';
import type { SessionId } from '@relay/contract/ids';
import type { Settings } from '@relay/contract/settings';
import type { Clock } from '../../models/agent/clock.ts';
import type { ModelSource } from '../../models/agent/model.ts';
import type { Gate } from '../../pipeline/gate/gate.ts';
import type { Engine } from '../../platform/jobs/engine.ts';
import type { MessageSearch } from '../search/search.ts';
import type { WebSearch } from '../web-search/web-search.ts';
import type { AssistantSchedules } from './tools/ports.ts';

/** The services that slash commands use, the same as routes and commands. */
interface CommandServices {
  readonly approvals: ApprovalService;
  readonly hold: HoldService;
  readonly conversations: ConversationService;
  readonly schedules: Pick<ScheduleService, 'list' | 'create'>;
  status(): Promise<DaemonStatus>;
}

export interface AssistantDeps extends Engine {
  readonly gate: Gate;
  readonly settings: Pick<Settings, 'agent' | 'admin_phone_numbers'>;
  readonly models: ModelSource;
  readonly clock: Clock;
  readonly search: Pick<MessageSearch, 'caughtUp' | 'retrieve' | 'search'>;
  readonly schedules: AssistantSchedules;
  readonly digests: DigestService;
  readonly webSearch: WebSearch;
  readonly verbs: CommandServices;
  readonly turns: SessionTurns;
  /** Whether WhatsApp can be reached now, asked for each turn. */
  connected(): boolean;
}

// One turn of a session at a time, whatever asks for it, and the way to end the one that runs. In memory:
// one daemon serves the account, and what a turn has done stands in the tables.

/** The owner said stop. */
export class TurnStopped extends Error {}

export class SessionTurns {
  readonly #last = new Map<SessionId, Promise<void>>();
  readonly #running = new Map<SessionId, AbortController>();

  /** Waits for its turn; rejects with the signal's reason when that ends first. */
  async run<T>(
    session: SessionId,
    signal: AbortSignal,
    take: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const before = this.#last.get(session) ?? Promise.resolve();
    const over = Promise.withResolvers<void>();
    const mine = before.then(() => over.promise);
    this.#last.set(session, mine);
    try {
      await unlessEnded(before, signal);
      const stop = new AbortController();
      this.#running.set(session, stop);
      return await take(AbortSignal.any([stop.signal, signal]));
    } finally {
      this.#running.delete(session);
      over.resolve();
      if (this.#last.get(session) === mine) this.#last.delete(session);
    }
  }

  /** False when nothing runs. */
  stop(session: SessionId): boolean {
    const running = this.#running.get(session);
    running?.abort(new TurnStopped());
    return running !== undefined;
  }
}

function unlessEnded(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const ended = () => reject(signal.reason);
    signal.addEventListener('abort', ended, { once: true });
    wait.then(() => {
      signal.removeEventListener('abort', ended);
      resolve();
    });
  });
}
