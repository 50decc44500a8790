// One tool that programs may call: its name and schemas, the one scope that opens it, and what it does.
// Invariant: the list and every word in it is fixed when the daemon starts; nothing that somebody wrote can
// change what a program is told about a tool.

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

/** What whoever sits at the program said; `cannot` when there is no way to ask them. */
export type ConfirmationAnswer = 'yes' | 'no' | 'cannot';

/** Thrown by a door out of a call that begins anew once somebody has answered. */
export class InputRequiredError extends Error {
  readonly question: string;

  constructor(question: string) {
    super('somebody is asked first');
    this.question = question;
  }
}

/** What the door a call came by can do. */
export interface CallContext {
  readonly signal: AbortSignal;
  /** The program's own name for the call: the same again answers what became of the first. */
  readonly key: string | null;
  progress(sentence: string): void;
  /** May begin the call anew with the answer: whatever comes before must have changed nothing. */
  confirm(question: string): Promise<ConfirmationAnswer>;
}

export interface ClientCall extends CallContext {
  readonly world: ClientDeps;
  readonly program: TokenClient;
  readonly actor: TokenHolder;
  /** What it may find and read. */
  readonly scope: SearchScope;
  /** Before words of these chats are handed out. */
  noteRead(db: Db, chats: readonly ChatId[]): Promise<void>;
  /** Work that is done in the order in which the calls of this token came. */
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
  /** After which it is given up; less than a minute unless given. */
  readonly limitMs?: number;
  /** Refuses with a RelayError, or with a SeedError where seed 002 has a code for it. */
  run(call: ClientCall, input: z.output<Input>): Promise<z.input<Output>>;
}

export type ClientTool = ToolSpec<z.ZodObject, z.ZodObject>;

export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  spec: ToolSpec<Input, Output>,
): ClientTool => spec as unknown as ClientTool;

/** Looks and changes nothing; what others wrote may be in it. */
export const READ_ONLY_HINTS: ToolHints = { readOnlyHint: true, openWorldHint: true };

type Io = 'input' | 'output';
const jsonSchemaCache: Readonly<Record<Io, WeakMap<z.ZodObject, Record<string, unknown>>>> = {
  input: new WeakMap(),
  output: new WeakMap(),
};

/** A list of types is legal, and more than some programs understand. */
function withoutLists(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('type' in value)) return value;
  const { type, ...rest } = value;
  return Array.isArray(type) ? { ...rest, anyOf: type.map((each) => ({ type: each })) } : value;
}

/** Written once: the tools do not change while the daemon runs. */
export function toJsonSchema(schema: z.ZodObject, io: Io): Record<string, unknown> {
  const json = jsonSchemaCache[io].get(schema) ?? plain(z.toJSONSchema(schema, { io }));
  jsonSchemaCache[io].set(schema, json);
  return json;
}

const plain = (json: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(json, withoutLists));

// What the tools of programs stand on: ports and plain functions, given by the composition.

export interface ClientDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly gate: Gate;
  readonly tokens: ClientTokens;
  readonly transport: Pick<Transport, 'link' | 'subscribe' | 'connect'>;
  readonly search: MessageSearch;
  readonly conversations: ConversationService;
  readonly schedules: ScheduleService;
  readonly acts: ClientActions;
  readonly digests: DigestService;
  readonly summaries: ChatSummaryService;
  readonly ledger: LedgerReader;
  readonly approvals: ApprovalService;
  readonly events: PostgresEventLog;
  readonly turns: CallOrder;
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

// What programs do through flows that `mcp` does not know: given by the composition, carried out in the
// transaction of the call, decided by the gate as the program's own act.

interface ClientActions {
  createConversation(
    work: UnitOfWork,
    actor: TokenHolder,
    request: CreateInstanceRequest,
    circumstances: SubmitContext,
  ): Promise<{
    readonly decision: Decision;
    /** There exactly if it was allowed. */
    readonly made: CreateInstanceResponse | null;
    /** There exactly if the owner is asked. */
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
    wish: AgentScheduleRequest,
    circumstances: SubmitContext,
  ): Promise<AgentScheduleResult>;
  cancelSchedule(
    tx: Transaction,
    actor: TokenHolder,
    id: ScheduleId,
  ): Promise<{ readonly decision: Decision }>;
}

// Who goes first: what calls of one token to one tool write is written in the order in which they came.
// Invariant: a turn that is given back, used or not, never holds up the next.

interface Turn {
  /** When all that came before have had theirs. */
  readonly comes: Promise<void>;
  giveBack(): void;
}

export class CallOrder {
  readonly #last = new Map<string, Promise<void>>();

  /** Taken at once: whoever asks first is first. */
  take(line: string): Turn {
    const comes = this.#last.get(line) ?? Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const over = comes.then(() => promise);
    this.#last.set(line, over);
    void over.then(() => {
      if (this.#last.get(line) === over) this.#last.delete(line);
    });
    return { comes, giveBack: resolve };
  }
}

/** One call's place in its line: the first work goes where the call came, later work behind who came since. */
export class OrderedCall {
  readonly #turns: CallOrder;
  readonly #name: string;
  #turn: Turn | null;

  constructor(turns: CallOrder, name: string) {
    this.#turns = turns;
    this.#name = name;
    this.#turn = turns.take(name);
  }

  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#turn ??= this.#turns.take(this.#name);
    try {
      await this.#turn.comes;
      return await work();
    } finally {
      this.leave();
    }
  }

  leave(): void {
    this.#turn?.giveBack();
    this.#turn = null;
  }
}
