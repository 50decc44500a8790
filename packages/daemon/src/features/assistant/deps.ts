// Dependencies of the assistant, and the limit of one turn at a time per session.

import type { ApprovalService, HoldService } from '@relay/contract/api/approvals';
import type { DigestService } from '@relay/contract/api/digests';
import type { ConversationService } from '@relay/contract/api/instances';
import type { ScheduleService } from '@relay/contract/api/schedules';
import type { DaemonStatus } from '@relay/contract/api/status';
import type { SessionId } from '@relay/contract/ids';
import type { Settings } from '@relay/contract/settings';
import type { Clock } from '../../models/agent/clock.ts';
import type { ModelSource } from '../../models/agent/model.ts';
import type { PhotoReader } from '../../models/agent/session.ts';
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
  /** Absent: the model sees no photos. */
  readonly readPhoto?: PhotoReader;
  readonly search: Pick<MessageSearch, 'caughtUp' | 'retrieve' | 'search'>;
  readonly schedules: AssistantSchedules;
  readonly digests: DigestService;
  readonly webSearch: WebSearch;
  readonly services: CommandServices;
  readonly turns: SessionTurns;
  /** Whether WhatsApp is connected; checked for each turn. */
  connected(): boolean;
}

// Runs one turn of a session at a time and can stop the running one. In memory, because one daemon serves the account
// and the effects of a turn are in the tables.

/** The owner stopped the turn. */
export class TurnStopped extends Error {}

export class SessionTurns {
  readonly #last = new Map<SessionId, Promise<void>>();
  readonly #running = new Map<SessionId, AbortController>();

  /** Waits for earlier turns; rejects with the signal's reason when the signal aborts first. */
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

  /** Returns false when nothing runs. */
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
