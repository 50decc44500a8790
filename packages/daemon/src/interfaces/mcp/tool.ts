// Defines what a tool for clients is (its name and schemas, the one scope it requires, and what it does) and what it
// may use when it runs.
// Invariant: the list and all its texts are fixed when the daemon starts; no message can change what a client reads
// about a tool.

import type { ApprovalService } from '@relay/contract/api/approvals';
import type { ChatSummaryService } from '@relay/contract/api/chats';
import type { ClientTokens, TokenClient } from '@relay/contract/api/credentials';
import type { DigestService } from '@relay/contract/api/digests';
import type {
  ConversationService,
  CreateInstanceRequest,
  CreateInstanceResponse,
} from '@relay/contract/api/instances';
import type { LedgerReader } from '@relay/contract/api/ledger';
import type { ScheduleService } from '@relay/contract/api/schedules';
import type { InstanceState } from '@relay/contract/conversation/states';
import type { ApprovalId, ChatId, InstanceId, ScheduleId } from '@relay/contract/ids';
import type { Scope } from '@relay/contract/policy/scopes';
import type { Settings } from '@relay/contract/settings';
import type { Log } from '@relay/core/log';
import type { TokenHolder } from '@relay/core/policy/actors';
import type { ConversationControl } from '@relay/core/policy/decide';
import type { Decision } from '@relay/core/policy/reasons';
import type { Transport } from '@relay/core/ports/transport';
import { z } from 'zod';
import type {
  AgentScheduleRequest,
  AgentScheduleResult,
} from '../../features/schedules/service.ts';
import type { SearchScope } from '../../features/search/scope.ts';
import type { MessageSearch } from '../../features/search/search.ts';
import type { SubmitContext } from '../../pipeline/gate/evaluate.ts';
import type { Gate } from '../../pipeline/gate/gate.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import type { PostgresEventLog } from '../../platform/db/events.ts';
import type { Lease } from '../../platform/db/lease.ts';
import type { UnitOfWork } from '../../platform/db/transaction.ts';

/** The answer of the person at the client; `cannot` when there is no way to ask them. */
export type ConfirmationAnswer = 'yes' | 'no' | 'cannot';

/** Thrown out of a call that starts again once the person has answered. */
export class InputRequiredError extends Error {
  readonly question: string;

  constructor(question: string) {
    super('confirmation required');
    this.question = question;
  }
}

/** What the transport of a call supports. */
export interface CallContext {
  readonly signal: AbortSignal;
  /** The client's own key for the call: a call with the same key returns the result of the first. */
  readonly key: string | null;
  progress(sentence: string): void;
  /** May start the call again with the answer: nothing before it may have changed anything. */
  confirm(question: string): Promise<ConfirmationAnswer>;
}

export interface ClientCall extends CallContext {
  readonly deps: ClientDeps;
  readonly client: TokenClient;
  readonly actor: TokenHolder;
  /** What the call may find and read. */
  readonly scope: SearchScope;
  /** To be called before messages of these chats are returned. */
  noteRead(db: Db, chats: readonly ChatId[]): Promise<void>;
  /** Runs work in the order in which this token's calls arrived. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

interface ToolSpec<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly scope: Scope;
  readonly hints: ToolHints;
  readonly input: Input;
  readonly output: Output;
  /** The call's time limit; less than a minute by default. */
  readonly limitMs?: number;
  /** Throws a RelayError, or a SeedError where seed 002 has a code for it. */
  run(call: ClientCall, input: z.output<Input>): Promise<z.input<Output>>;
}

export type ClientTool = ToolSpec<z.ZodObject, z.ZodObject>;

export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  spec: ToolSpec<Input, Output>,
): ClientTool => spec as unknown as ClientTool;

/** For a tool that only reads; its output may contain text from messages. */
export const READ_ONLY_HINTS: ToolHints = { readOnlyHint: true, openWorldHint: true };

type Io = 'input' | 'output';
const jsonSchemaCache: Readonly<Record<Io, WeakMap<z.ZodObject, Record<string, unknown>>>> = {
  input: new WeakMap(),
  output: new WeakMap(),
};

/** A list of types is valid, but some clients do not understand it. */
function withoutLists(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('type' in value)) return value;
  const { type, ...rest } = value;
  return Array.isArray(type) ? { ...rest, anyOf: type.map((each) => ({ type: each })) } : value;
}

/** Cached, because the tools do not change while the daemon runs. */
export function toJsonSchema(schema: z.ZodObject, io: Io): Record<string, unknown> {
  const json = jsonSchemaCache[io].get(schema) ?? plain(z.toJSONSchema(schema, { io }));
  jsonSchemaCache[io].set(schema, json);
  return json;
}

const plain = (json: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(json, withoutLists));

// The dependencies of the clients' tools: ports and plain functions, passed in by `features.ts`.

export interface ClientDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly gate: Gate;
  readonly tokens: ClientTokens;
  /** The accounts that a token is valid for, by name; this one alone if omitted. */
  accountsOf?(hash: string): Promise<ReadonlyMap<string, ClientDeps>>;
  readonly transport: Pick<Transport, 'link' | 'subscribe' | 'connect'>;
  readonly search: MessageSearch;
  readonly conversations: ConversationService;
  readonly schedules: ScheduleService;
  readonly actions: ClientActions;
  readonly digests: DigestService;
  readonly summaries: ChatSummaryService;
  readonly ledger: LedgerReader;
  readonly approvals: ApprovalService;
  readonly events: PostgresEventLog;
  readonly callOrder: CallTurns;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  /** The time zone for times of day; an IANA name. */
  readonly zone: string;
  readonly settings: Pick<Settings, 'tell_owner_on_whatsapp'>;
  /** How often a polling client should poll. */
  readonly pollMs: number;
  readonly log: Log;
  readonly now: () => Date;
  /** Rejects when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Whether the session of WhatsApp can be stored. */
  keepsSession(): Promise<boolean>;
  /** A PNG, as base64. */
  renderQr(qr: string): Promise<string>;
  /** Call after a commit: wakes the outbox and the streams. */
  onChange(): void;
}

/** Gives turns to calls, so that calls of one queue write in the order in which they arrived. */
export interface CallTurns {
  /** Takes the next turn of the queue at once. */
  reserve(queue: string): CallTurn;
}

export interface CallTurn {
  /** Resolves when all earlier turns are over. */
  readonly comes: Promise<void>;
  giveBack(): void;
}

// Actions of features that `mcp` does not import: passed in, carried out in the call's transaction, and decided by the
// gate as the client's own action.

interface ClientActions {
  createConversation(
    work: UnitOfWork,
    actor: TokenHolder,
    request: CreateInstanceRequest,
    context: SubmitContext,
  ): Promise<{
    readonly decision: Decision;
    /** Set exactly if it was allowed. */
    readonly conversation: CreateInstanceResponse | null;
    /** Set exactly if the owner is asked. */
    readonly approval: ApprovalId | null;
  }>;
  controlConversation(
    work: UnitOfWork,
    actor: TokenHolder,
    id: InstanceId,
    control: ConversationControl,
  ): Promise<{ readonly decision: Decision; readonly state: InstanceState }>;
  scheduleMessage(
    tx: Transaction,
    actor: TokenHolder,
    request: AgentScheduleRequest,
    context: SubmitContext,
  ): Promise<AgentScheduleResult>;
  cancelSchedule(
    tx: Transaction,
    actor: TokenHolder,
    id: ScheduleId,
  ): Promise<{ readonly decision: Decision }>;
}
