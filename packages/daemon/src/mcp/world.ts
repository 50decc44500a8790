// What the tools of programs stand on: ports and plain functions, given by the composition.
import type { Log } from '@relay/core/log';
import type { ApprovalVerbs } from '@relay/core/ports/approvals';
import type { ConversationVerbs } from '@relay/core/ports/conversations';
import type { DigestVerbs } from '@relay/core/ports/digests';
import type { EventLog } from '@relay/core/ports/event-log';
import type { LedgerReader } from '@relay/core/ports/ledger';
import type { ScheduleVerbs } from '@relay/core/ports/schedules';
import type { Summaries } from '@relay/core/ports/summaries';
import type { ProgramTokens } from '@relay/core/ports/tokens';
import type { Transport } from '@relay/core/ports/transport';
import type { Settings } from '@relay/core/settings';
import type { Gate } from '../gate/submit.ts';
import type { Search } from '../search/search.ts';
import type { Reader } from '../store/database.ts';
import type { Lease } from '../store/lease.ts';
import type { ProgramActs } from './acts.ts';
import type { Turns } from './turns.ts';

export interface ProgramWorld {
  readonly db: Reader;
  readonly lease: Lease;
  readonly gate: Gate;
  readonly tokens: ProgramTokens;
  readonly transport: Pick<Transport, 'link' | 'subscribe' | 'connect'>;
  readonly search: Search;
  readonly conversations: ConversationVerbs;
  readonly schedules: ScheduleVerbs;
  readonly acts: ProgramActs;
  readonly digests: DigestVerbs;
  readonly summaries: Summaries;
  readonly ledger: LedgerReader;
  readonly approvals: ApprovalVerbs;
  readonly events: EventLog;
  readonly turns: Turns;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  /** What times of day are told by; an IANA name. */
  readonly zone: string;
  readonly settings: Pick<Settings, 'tell_owner_on_whatsapp'>;
  /** How long a program that looks again and again need not look again. */
  readonly pollMs: number;
  readonly log: Log;
  readonly now: () => Date;
  /** Rejects when the signal ends it. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Whether the place where the session is kept can be written. */
  keepsSession(): Promise<boolean>;
  /** A PNG, as base64. */
  picture(qr: string): Promise<string>;
  /** After a commit: something may wait in the outbox, and streams have something to show. */
  changed(): void;
}
