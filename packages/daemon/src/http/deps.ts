// Everything the HTTP server is given by `main`: ports and plain functions, no singletons.
// Routes reach the world through these alone, so a test can stand in for all of it.
import type { Duplex, Readable } from 'node:stream';
import type { ImportReport } from '@relay/core/api/archive';
import type { DaemonStatus, HealthCheck } from '@relay/core/api/status';
import type { ToolAnswer, ToolShown } from '@relay/core/api/tools';
import type { Log } from '@relay/core/log';
import type { ActivityReader } from '@relay/core/ports/activity';
import type { ApprovalVerbs, HoldVerbs } from '@relay/core/ports/approvals';
import type { AssistantVerbs } from '@relay/core/ports/assistant';
import type { BackupVerbs } from '@relay/core/ports/backups';
import type { ChatReader } from '@relay/core/ports/chats';
import type { ConversationVerbs } from '@relay/core/ports/conversations';
import type { DigestVerbs } from '@relay/core/ports/digests';
import type { EvalVerbs } from '@relay/core/ports/eval';
import type { EventLog } from '@relay/core/ports/event-log';
import type { GrantVerbs, PeopleVerbs } from '@relay/core/ports/grants';
import type { ImportVerbs } from '@relay/core/ports/imports';
import type { ForwarderTokens, IngestVerbs } from '@relay/core/ports/ingest';
import type { LedgerReader } from '@relay/core/ports/ledger';
import type { MemoryVerbs } from '@relay/core/ports/memory';
import type { MessageReader } from '@relay/core/ports/messages';
import type { Metrics } from '@relay/core/ports/metrics';
import type { ObservingVerbs } from '@relay/core/ports/observing';
import type { OutsideMemoryVerbs } from '@relay/core/ports/outside-memory';
import type { SendAsOwner } from '@relay/core/ports/owner-messages';
import type { RetentionVerbs } from '@relay/core/ports/retention';
import type { ScheduleVerbs } from '@relay/core/ports/schedules';
import type { SearchVerbs } from '@relay/core/ports/search';
import type { SettingsVerbs } from '@relay/core/ports/settings';
import type { SignInStore } from '@relay/core/ports/sign-in';
import type { Program, ProgramTokens, TokenVerbs } from '@relay/core/ports/tokens';
import type { Transport } from '@relay/core/ports/transport';
import type { WebhookVerbs } from '@relay/core/ports/webhooks';
import type { Limits } from './limits.ts';

export interface Archive {
  /** A tar.gz, made as it is read. */
  export(): Readable;
  import(stream: Readable): Promise<ImportReport>;
}

/** What programs may do, behind its three doors: MCP over HTTP, MCP over a pipe, and plain calls. */
export interface ProgramDoor {
  /** One HTTP exchange of MCP; the body was read already. */
  fetch(request: Request, hash: string, body: unknown): Promise<Response>;
  /** A connection of MCP in lines, until either side ends it. */
  pipe(connection: Duplex, hash: string): void;
  tools(program: Program): readonly ToolShown[];
  /** Refused with a RelayError, or answered as the tool's output. */
  call(hash: string, tool: string, input: unknown, key: string | null): Promise<ToolAnswer>;
}

export interface HttpDeps {
  readonly version: string;
  /** The port of the Host and Origin allow-list; 0 takes the one the server was bound to. */
  readonly port: number;
  readonly log: Log;
  /** The current token: asked on every request, so a rotation takes effect at once. */
  ownerToken(): string;
  rotateOwnerToken(): Promise<string>;
  readonly conversations: ConversationVerbs;
  readonly whatsapp: Transport;
  readonly messages: MessageReader;
  readonly chats: ChatReader;
  readonly ledger: LedgerReader;
  readonly activity: ActivityReader;
  /** Writes to somebody as the owner. */
  readonly send: SendAsOwner;
  readonly assistant: AssistantVerbs;
  readonly approvals: ApprovalVerbs;
  readonly hold: HoldVerbs;
  readonly grants: GrantVerbs;
  readonly people: PeopleVerbs;
  readonly schedules: ScheduleVerbs;
  readonly search: SearchVerbs;
  readonly observing: ObservingVerbs;
  readonly digests: DigestVerbs;
  readonly memory: MemoryVerbs;
  readonly evaluation: EvalVerbs;
  readonly ingest: IngestVerbs;
  readonly imports: ImportVerbs;
  readonly outsideMemory: OutsideMemoryVerbs;
  readonly forwarderTokens: ForwarderTokens;
  readonly programTokens: ProgramTokens;
  readonly tokens: TokenVerbs;
  readonly programs: ProgramDoor;
  readonly retention: RetentionVerbs;
  readonly webhooks: WebhookVerbs;
  readonly settings: SettingsVerbs;
  readonly metrics: Metrics;
  status(): Promise<DaemonStatus>;
  checks(options: { readonly full: boolean }): Promise<HealthCheck[]>;
  readonly events: EventLog;
  readonly archive: Archive;
  readonly backups: BackupVerbs;
  readonly signIn: SignInStore;
  /** The built console; null serves none. */
  readonly webDirectory: string | null;
  /** True once the daemon has begun to stop: whatever comes after is refused. */
  stopping(): boolean;
  readonly limits?: Partial<Limits>;
}
