// Everything the HTTP server is given by `main`: ports and plain functions, no singletons.
// Routes reach the world through these alone, so a test can stand in for all of it.
import type { Duplex, Readable } from 'node:stream';
import type { ActivityReader } from '@relay/contract/api/activity';
import type { ApprovalService, HoldService } from '@relay/contract/api/approvals';
import type { AssistantService } from '@relay/contract/api/assistant';
import type { ArchiveImportReport, BackupService } from '@relay/contract/api/backups';
import type { ChatReader } from '@relay/contract/api/chats';
import type { ContactService, GrantService } from '@relay/contract/api/contacts';
import type {
  ClientTokens,
  SignInStore,
  TokenClient,
  TokenService,
} from '@relay/contract/api/credentials';
import type { DigestExportService, DigestService } from '@relay/contract/api/digests';
import type { EvalService } from '@relay/contract/api/eval';
import type { EventLog } from '@relay/contract/api/events';
import type { ImportService } from '@relay/contract/api/imports';
import type { ForwarderTokens, IngestService } from '@relay/contract/api/ingest';
import type { ConversationService } from '@relay/contract/api/instances';
import type { LedgerReader } from '@relay/contract/api/ledger';
import type { MemoryService } from '@relay/contract/api/memory';
import type { ObservedGroupService } from '@relay/contract/api/observed-groups';
import type { RetentionService } from '@relay/contract/api/retention';
import type { ScheduleService } from '@relay/contract/api/schedules';
import type { SearchService } from '@relay/contract/api/search';
import type { SendAsOwner } from '@relay/contract/api/sending';
import type { SettingsService } from '@relay/contract/api/settings';
import type { DaemonStatus, HealthCheck, Metrics } from '@relay/contract/api/status';
import type { ListedTool, ToolCallResponse } from '@relay/contract/api/tools';
import type { WebhookService } from '@relay/contract/api/webhooks';
import type { MessageReader } from '@relay/contract/api/whatsapp';
import type { Log } from '@relay/core/log';
import type { Transport } from '@relay/core/ports/transport';

export interface Archive {
  /** A tar.gz, made as it is read. */
  export(): Readable;
  import(stream: Readable): Promise<ArchiveImportReport>;
}

/** What programs may do, behind its three doors: MCP over HTTP, MCP over a pipe, and plain calls. */
interface ClientApi {
  /** One HTTP exchange of MCP; the body was read already. */
  fetch(request: Request, hash: string, body: unknown): Promise<Response>;
  /** A connection of MCP in lines, until either side ends it. */
  pipe(connection: Duplex, hash: string): void;
  tools(program: TokenClient): readonly ListedTool[];
  /** Refused with a RelayError, or answered as the tool's output. */
  call(hash: string, tool: string, input: unknown, key: string | null): Promise<ToolCallResponse>;
}

export interface HttpDeps {
  readonly version: string;
  /** The port of the Host and Origin allow-list; 0 takes the one the server was bound to. */
  readonly port: number;
  readonly log: Log;
  /** The current token: asked on every request, so a rotation takes effect at once. */
  ownerToken(): string;
  rotateOwnerToken(): Promise<string>;
  readonly conversations: ConversationService;
  readonly whatsapp: Transport;
  readonly messages: MessageReader;
  readonly chats: ChatReader;
  readonly ledger: LedgerReader;
  readonly activity: ActivityReader;
  /** Writes to somebody as the owner. */
  readonly send: SendAsOwner;
  readonly assistant: AssistantService;
  readonly approvals: ApprovalService;
  readonly hold: HoldService;
  readonly grants: GrantService;
  readonly people: ContactService;
  readonly schedules: ScheduleService;
  readonly search: SearchService;
  readonly observing: ObservedGroupService;
  readonly digests: DigestService;
  readonly memory: MemoryService;
  readonly evaluation: EvalService;
  readonly ingest: IngestService;
  readonly imports: ImportService;
  readonly outsideMemory: DigestExportService;
  readonly forwarderTokens: ForwarderTokens;
  readonly programTokens: ClientTokens;
  readonly tokens: TokenService;
  readonly programs: ClientApi;
  readonly retention: RetentionService;
  readonly webhooks: WebhookService;
  readonly settings: SettingsService;
  readonly metrics: Metrics;
  status(): Promise<DaemonStatus>;
  checks(options: { readonly full: boolean }): Promise<HealthCheck[]>;
  readonly events: EventLog;
  readonly archive: Archive;
  readonly backups: BackupService;
  readonly signIn: SignInStore;
  /** The built console; null serves none. */
  readonly webDirectory: string | null;
  /** True once the daemon has begun to stop: whatever comes after is refused. */
  stopping(): boolean;
  readonly limits?: Partial<HttpLimits>;
}

// Every bound the HTTP server keeps, in one place. Tests narrow them; nobody widens them at run time.

export interface HttpLimits {
  /** Largest JSON body. An archive to import is streamed and has none. */
  readonly bodyBytes: number;
  /** How long a JSON body may take to arrive. */
  readonly bodyMs: number;
  readonly headersMs: number;
  /** Wrong credentials in a minute, from all callers together, before they get 429. */
  readonly failuresPerMinute: number;
  /** Requests in a minute for one token or one browser session. */
  readonly requestsPerMinute: number;
  /** The same for the token of notification forwarders: no group is as lively. */
  readonly forwardedPerMinute: number;
  /** How long running requests may take to finish once the server closes. */
  readonly drainMs: number;
  /** How often a stream looks at the log though nothing woke it. */
  readonly pollMs: number;
  readonly keepAliveMs: number;
  /** Seed 000's figure for its stream. */
  readonly linkKeepAliveMs: number;
  /** Events a stream reads at a time: all it ever holds for a slow reader. */
  readonly streamBatch: number;
  /** Questions to the assistant that are answered or wait, from all callers together. */
  readonly questionsAtOnce: number;
  /** How long `/api/init` waits for a QR code; shorter than `drainMs`. */
  readonly initMs: number;
  /** How long a message to oneself may take; pacing may hold it back for a while. */
  readonly probeMs: number;
  readonly probeLookMs: number;
}

export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  bodyBytes: 1_048_576,
  bodyMs: 10_000,
  headersMs: 10_000,
  failuresPerMinute: 20,
  requestsPerMinute: 30_000,
  forwardedPerMinute: 300,
  drainMs: 10_000,
  pollMs: 5_000,
  keepAliveMs: 20_000,
  linkKeepAliveMs: 30_000,
  streamBatch: 100,
  questionsAtOnce: 8,
  initMs: 8_000,
  probeMs: 25_000,
  probeLookMs: 500,
};
