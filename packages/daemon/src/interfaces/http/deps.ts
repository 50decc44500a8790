// Everything that `main` passes to the HTTP server: ports and plain functions, no singletons. Routes use nothing else,
// so a test can replace all of it.
import type { Duplex, Readable } from 'node:stream';
import type { AccountService, OwnerService } from '@relay/contract/api/accounts';
import type { ActivityReader } from '@relay/contract/api/activity';
import type { ApprovalService, HoldService } from '@relay/contract/api/approvals';
import type { AssistantService } from '@relay/contract/api/assistant';
import type { ArchiveImportReport, BackupService } from '@relay/contract/api/backups';
import type { ChatDraftService, ChatReader } from '@relay/contract/api/chats';
import type { ContactService, GrantService } from '@relay/contract/api/contacts';
import type {
  HostedClientTokens,
  SignInStore,
  TokenClient,
  TokenService,
} from '@relay/contract/api/credentials';
import type { DigestExportService, DigestService } from '@relay/contract/api/digests';
import type { EvalService } from '@relay/contract/api/eval';
import type { EventLog, TypedEvents } from '@relay/contract/api/events';
import type { ImportService } from '@relay/contract/api/imports';
import type { ForwarderTokens, IngestService } from '@relay/contract/api/ingest';
import type { ConversationService } from '@relay/contract/api/instances';
import type { LedgerReader } from '@relay/contract/api/ledger';
import type { MemoryService } from '@relay/contract/api/memory';
import type { NotificationService } from '@relay/contract/api/notifications';
import type { ObservedGroupService } from '@relay/contract/api/observed-groups';
import type { RemoteService } from '@relay/contract/api/remote';
import type { RetentionService } from '@relay/contract/api/retention';
import type { ScheduleService } from '@relay/contract/api/schedules';
import type { SearchService } from '@relay/contract/api/search';
import type { SendAsOwner } from '@relay/contract/api/sending';
import type { SettingsService } from '@relay/contract/api/settings';
import type {
  AccountFigures,
  DaemonStatus,
  HealthCheck,
  Metrics,
} from '@relay/contract/api/status';
import type { ListedTool, ToolCallResponse } from '@relay/contract/api/tools';
import type { V1Call, V1Surface } from '@relay/contract/api/v1';
import type { WebhookService } from '@relay/contract/api/webhooks';
import type { MessageReader } from '@relay/contract/api/whatsapp';
import type { WorkerList } from '@relay/contract/api/workers';
import type { AccountId, OwnerId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import type { Transport } from '@relay/core/ports/transport';
import type { MediaService } from '../../features/media/service.ts';
import type { KeptResponses } from '../../platform/db/idempotency-keys.ts';

export interface Archive {
  /** A tar.gz, created while it is read. `asBackup`: encrypted if backups are. */
  export(options: {
    readonly asBackup: boolean;
    /** The name of the only account in it; null for all of them. */
    readonly account: string | null;
  }): Promise<{ readonly stream: Readable; readonly isEncrypted: boolean }>;
  import(
    stream: Readable,
    options: {
      readonly passphrase: string | null;
      /** Adds the archive's one account to the home, under this name. */
      readonly as?: string | undefined;
    },
  ): Promise<ArchiveImportReport>;
}

/** What clients can use: MCP over HTTP, MCP over a pipe, and plain tool calls. */
interface ClientApi {
  /** One MCP request over HTTP; the body has already been read. */
  fetch(request: Request, hash: string, body: unknown): Promise<Response>;
  /** One MCP connection with one message per line, until either side ends it. */
  pipe(connection: Duplex, hash: string): void;
  tools(program: TokenClient, hash: string): Promise<readonly ListedTool[]>;
  /** Returns the tool's output, or throws a RelayError. */
  call(hash: string, tool: string, input: unknown, key: string | null): Promise<ToolCallResponse>;
  /** Version 1 of the API as the client with this secret's hash. */
  v1(hash: string, call: V1Call): V1Surface;
}

/** What is served for one account. */
export interface AccountServices {
  readonly conversations: ConversationService;
  readonly whatsapp: Transport;
  readonly messages: MessageReader;
  readonly chats: ChatReader;
  readonly drafts: ChatDraftService;
  readonly ledger: LedgerReader;
  readonly activity: ActivityReader;
  /** Sends a message as the owner. */
  readonly send: SendAsOwner;
  readonly media: MediaService;
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
  readonly digestExport: DigestExportService;
  readonly forwarderTokens: ForwarderTokens;
  readonly tokens: TokenService;
  readonly clients: ClientApi;
  readonly retention: RetentionService;
  readonly webhooks: WebhookService;
  readonly typedEvents: TypedEvents;
  readonly keptResponses: KeptResponses;
  readonly notifications: NotificationService;
  status(): Promise<DaemonStatus>;
  /** For `/metrics`. */
  figures(): Promise<AccountFigures>;
  checks(options: { readonly full: boolean }): Promise<HealthCheck[]>;
  readonly events: EventLog;
}

/** An account as the HTTP server sees it. */
export interface ServedAccount {
  readonly id: AccountId;
  readonly name: string;
  readonly owner: OwnerId;
  readonly services: AccountServices;
}

export interface AccountDirectory {
  /** The account of this name, if it is served here. */
  find(name: string): ServedAccount | null;
  byId(id: AccountId): ServedAccount | null;
  /** The one that this owner means without naming one; for an owner without accounts, null. */
  defaultOf(owner: OwnerId): ServedAccount | null;
}

/** All services, each of the account of the current request. */
export interface HttpDeps extends AccountServices {
  readonly version: string;
  /** The port in the Host and Origin allow-list; 0 means the port that the server is bound to. */
  readonly port: number;
  readonly log: Log;
  readonly accounts: AccountDirectory;
  /** The current token: read on every request, so a rotation takes effect at once. */
  ownerToken(): string;
  rotateOwnerToken(): Promise<string>;
  /** The processes that hold accounts. */
  listWorkers(): Promise<WorkerList>;
  /** The account whose forwarders have the token with this hash. */
  findForwardedAccount(hash: string): Promise<AccountId | null>;
  readonly clientTokens: HostedClientTokens;
  readonly accountService: AccountService;
  readonly owners: OwnerService;
  readonly settings: SettingsService;
  readonly metrics: Metrics;
  readonly archive: Archive;
  readonly backups: BackupService;
  readonly signIn: SignInStore;
  /** Access from a phone. */
  readonly remote: RemoteService;
  /** The directory of the built console; null serves no console. */
  readonly webDirectory: string | null;
  /** True once the daemon has begun to stop; from then on requests are refused. */
  stopping(): boolean;
  /** Whether the database does not answer because its disk is full. Asked only when it does not answer. */
  isDatabaseDiskFull(): Promise<boolean>;
  readonly limits?: Partial<HttpLimits>;
}

// Every limit of the HTTP server. Tests lower them; nothing raises them at run time.

export interface HttpLimits {
  /** Maximum size of a JSON body. An imported archive is streamed and has no limit. */
  readonly bodyBytes: number;
  /** Maximum time for a JSON body to arrive. */
  readonly bodyMs: number;
  readonly headersMs: number;
  /** Wrong credentials per minute, from all callers together, before callers get 429. */
  readonly failuresPerMinute: number;
  /** Requests per minute for one token or one browser session. */
  readonly requestsPerMinute: number;
  /** Requests per minute for the token of notification forwarders; no group produces that many messages. */
  readonly forwardedPerMinute: number;
  /** Time for running requests to finish when the server closes. */
  readonly drainMs: number;
  /** How often a stream polls the log even if nothing woke it. */
  readonly pollMs: number;
  /** The same while an event is there that cannot be read yet. */
  readonly heldBackMs: number;
  readonly keepAliveMs: number;
  /** The interval that seed 000 fixes for its stream. */
  readonly linkKeepAliveMs: number;
  /** Events that a stream reads at once; a slow reader makes it hold no more than these. */
  readonly streamBatch: number;
  /** Questions to the assistant that are running or waiting, from all callers together. */
  readonly questionsAtOnce: number;
  /** How long `/api/init` waits for a QR code; shorter than `drainMs`. */
  readonly initMs: number;
  /** How long a message to oneself may take; pacing may delay it. */
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
  heldBackMs: 250,
  keepAliveMs: 20_000,
  linkKeepAliveMs: 30_000,
  streamBatch: 100,
  questionsAtOnce: 8,
  initMs: 8_000,
  probeMs: 25_000,
  probeLookMs: 500,
};
