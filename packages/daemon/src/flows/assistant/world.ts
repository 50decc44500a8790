// What the assistant needs of the world, handed to it by main.
import type { DaemonStatus } from '@relay/core/api/status';
import type { ApprovalVerbs, HoldVerbs } from '@relay/core/ports/approvals';
import type { ConversationVerbs } from '@relay/core/ports/conversations';
import type { DigestVerbs } from '@relay/core/ports/digests';
import type { ScheduleVerbs } from '@relay/core/ports/schedules';
import type { Settings } from '@relay/core/settings';
import type { Clock } from '../../agent/clock.ts';
import type { ModelSource } from '../../agent/model.ts';
import type { Gate } from '../../gate/submit.ts';
import type { Engine } from '../../jobs/work.ts';
import type { Search } from '../../search/search.ts';
import type { Schedules } from '../../tools/assistant/ports.ts';
import type { WebSearch } from '../../tools/web-search/web-search.ts';
import type { SessionTurns } from './turns.ts';

/** What slash commands do, by the same verbs as routes and commands. */
export interface CommandVerbs {
  readonly approvals: ApprovalVerbs;
  readonly hold: HoldVerbs;
  readonly conversations: ConversationVerbs;
  readonly schedules: Pick<ScheduleVerbs, 'list' | 'create'>;
  status(): Promise<DaemonStatus>;
}

export interface AssistantWorld extends Engine {
  readonly gate: Gate;
  readonly settings: Pick<Settings, 'agent' | 'admin_phone_numbers'>;
  readonly models: ModelSource;
  readonly clock: Clock;
  readonly search: Pick<Search, 'caughtUp' | 'retrieve' | 'search'>;
  readonly schedules: Schedules;
  readonly digests: DigestVerbs;
  readonly webSearch: WebSearch;
  readonly verbs: CommandVerbs;
  readonly turns: SessionTurns;
  /** Whether WhatsApp can be reached now, asked for each turn. */
  connected(): boolean;
}
