// The tables as Kysely types: those that code reads or writes today. The SQL in migrations/ is authoritative; a column
// is added here when code first needs it.

import type { OwnerRole } from '@relay/contract/api/accounts';
import type {
  MediaKind,
  MediaOrigin,
  MediaState,
  UnderstoodState,
} from '@relay/contract/api/media';
import type { OutgoingContent } from '@relay/contract/api/outgoing';
import type { ResultSchema, ResultStatus } from '@relay/contract/conversation/result';
import type { InstanceState } from '@relay/contract/conversation/states';
import type {
  AccountId,
  ApprovalId,
  ChatId,
  ContactId,
  DeviceId,
  DigestId,
  GrantId,
  InstanceId,
  MediaId,
  MessageId,
  OutboxId,
  OwnerId,
  PermitId,
  RequestId,
  RunId,
  ScheduleId,
  SessionId,
  TokenId,
} from '@relay/contract/ids';
import type { FactKind } from '@relay/contract/observer/digest/facts';
import type { OutboxState } from '@relay/contract/outbox/states';
import type { ScheduleRule } from '@relay/contract/schedule/rule';
import type { ConversationEventType } from '@relay/core/conversation/transition-table';
import type { NoiseCategory } from '@relay/core/observer/message';
import type { FreezeCause } from '@relay/core/outbox/freeze';
import type { ColumnType, Generated } from 'kysely';

type Json<T> = ColumnType<T, string, string>;
type JsonOrNull<T> = ColumnType<T | null, string | null | undefined, string | null>;
type Now = ColumnType<Date, Date | undefined, Date>;

export interface Tables {
  owners: {
    id: Generated<OwnerId>;
    name: string;
    role: Generated<OwnerRole>;
    token_hash: Buffer | null;
    created_at: Now;
  };
  accounts: {
    id: Generated<AccountId>;
    name: Generated<string>;
    owner_id: Generated<OwnerId>;
    is_default: Generated<boolean>;
    label: string;
    phone: string | null;
    lid: string | null;
    created_at: Now;
    linked_at: Date | null;
    follow_ups_suspended_since: Date | null;
  };
  account_leases: { account_id: AccountId; holder: string; epoch: number; until: Date };
  workers: {
    id: string;
    run: string;
    host: string;
    pid: number;
    address: string | null;
    version: string;
    capacity: number;
    draining: Generated<boolean>;
    started_at: Now;
    last_seen_at: Now;
    until: Date;
    lost_at: Date | null;
    stopped_at: Date | null;
  };
  holds: { account_id: AccountId; reason: string; since: Now };
  settings: { account_id: AccountId; key: string; value: Json<unknown>; updated_at: Now };
  daemon_runs: {
    holder: string;
    version: string;
    started_at: Now;
    last_seen_at: Now;
    stopped_at: Date | null;
  };
  ledger: {
    account_id: AccountId;
    seq: number;
    at: Date;
    actor: string;
    action: string;
    subject_kind: string;
    subject_id: string;
    outcome: string;
    reason: string;
    detail: Json<Record<string, unknown>>;
    hash: Buffer;
  };
  ledger_heads: { account_id: AccountId; seq: number; hash: Buffer; mac: Buffer | null };
  events: {
    account_id: AccountId;
    xid: Generated<string>;
    id: Generated<number>;
    at: Now;
    kind: string;
    subject: string | null;
    data: Json<Record<string, unknown>>;
  };
  contacts: {
    account_id: AccountId;
    id: Generated<ContactId>;
    display_name: string | null;
    last_message_at: Date | null;
    created_at: Now;
  };
  contact_aliases: {
    account_id: AccountId;
    kind: 'phone' | 'lid';
    value: string;
    contact_id: ContactId;
    learnt_at: Now;
    /** WhatsApp's answer about a number, and when; null: it was never asked. */
    is_registered: Generated<boolean | null>;
    asked_at: Generated<Date | null>;
  };
  chats: {
    account_id: AccountId;
    id: Generated<ChatId>;
    kind: 'direct' | 'group';
    contact_id: ContactId | null;
    group_address: string | null;
  };
  grants: {
    account_id: AccountId;
    id: Generated<GrantId>;
    contact_id: ContactId | null;
    chat_id: ChatId | null;
    display_name: string | null;
    can_read: boolean;
    can_reply: boolean;
    can_initiate: boolean;
    reply_mode: 'auto' | 'draft';
    session_id: SessionId | null;
    options: Generated<Json<Record<string, unknown>>>;
    created_at: Now;
    updated_at: Now;
  };
  knocks: {
    account_id: AccountId;
    contact_id: ContactId;
    count: Generated<number>;
    first_at: Now;
    last_at: Now;
    dismissed_at: Date | null;
  };
  observed_groups: {
    account_id: AccountId;
    chat_id: ChatId;
    /** An IANA name: it sets where hours and days begin. */
    zone: string;
    options: Generated<Json<Record<string, unknown>>>;
    announced_at: Date | null;
    since: Now;
  };
  observed_messages: {
    account_id: AccountId;
    chat_id: ChatId;
    /** Its number in `messages`. */
    message: number;
    sent_at: Date;
    category: NoiseCategory;
    noise: boolean;
    tokens: number;
  };
  observer_requests: {
    account_id: AccountId;
    id: Generated<RequestId>;
    chat_id: ChatId;
    message: number;
    sent_at: Date;
    state: Generated<'asked' | 'answering' | 'answered' | 'silent'>;
    verdict: 'direct_request' | 'mention_only' | 'false_positive' | null;
    reason: string | null;
    run_id: RunId | null;
    created_at: Now;
    answered_at: Date | null;
    /** The message that the answer became. */
    outbox_id: OutboxId | null;
  };
  digests: {
    account_id: AccountId;
    id: Generated<DigestId>;
    chat_id: ChatId;
    kind: 'hourly' | 'daily';
    period_start: Date;
    period_end: Date;
    body: string;
    tokens: number;
    /** How many messages it summarizes, and the last of them. */
    messages: Generated<number>;
    read_up_to: Generated<number>;
    run_id: RunId | null;
    created_at: Now;
  };
  digest_failures: {
    account_id: AccountId;
    chat_id: ChatId;
    kind: 'hourly' | 'daily';
    period_start: Date;
    period_end: Date;
    reason: string;
    tries: Generated<number>;
    messages: number;
    read_up_to: number;
    at: Date;
  };
  digest_facts: {
    account_id: AccountId;
    id: Generated<number>;
    digest_id: DigestId;
    kind: FactKind;
    body: string;
    data: Json<Record<string, unknown>>;
  };
  observer_usage: {
    account_id: AccountId;
    chat_id: ChatId;
    /** `YYYY-MM-DD` in the group's zone. */
    day: string;
    messages_kept: Generated<number>;
    messages_cut: Generated<number>;
    tokens_spent: Generated<number>;
    tokens_saved: Generated<number>;
  };
  sessions: {
    account_id: AccountId;
    id: Generated<SessionId>;
    kind: 'assistant' | 'auto_reply' | 'observer';
    key: string;
    title: string;
    chat_id: ChatId | null;
    contact_id: ContactId | null;
    options: Generated<Json<Record<string, unknown>>>;
    /** The last line that the agent no longer sees. */
    begins_after: Generated<number>;
    /** For auto-reply: the cooldown's end, how many there were in a row, and why. */
    resting_until: Date | null;
    rests: Generated<number>;
    rest_reason: string | null;
    created_at: Now;
    updated_at: Now;
  };
  session_messages: {
    account_id: AccountId;
    session_id: SessionId;
    id: Generated<number>;
    role: 'user' | 'assistant' | 'tool';
    content: string;
    run_id: RunId | null;
    message_id: MessageId | null;
    /** A command to Relay itself, or its answer: no model sees it. */
    command: Generated<boolean>;
    /** The owner forwarded it, but somebody else wrote it. */
    untrusted: Generated<boolean>;
    at: Now;
    /** A received line that has not been handled yet. */
    waiting: Generated<boolean>;
    /** The line that this one answers. */
    answers: number | null;
    outbox_id: OutboxId | null;
    approval_id: ApprovalId | null;
    /** Shown to the owner as a suggestion; never sent. */
    suggested: Generated<boolean>;
  };
  schedules: {
    account_id: AccountId;
    id: Generated<ScheduleId>;
    rule: Json<ScheduleRule>;
    zone: string;
    chat_id: ChatId;
    body: string;
    /** Null: only text. */
    content: JsonOrNull<OutgoingContent>;
    catch_up: Generated<'skip' | 'once' | 'all'>;
    state: Generated<'active' | 'done' | 'cancelled'>;
    created_by: string;
    /** The owner's approval, if an agent needed one. */
    approval_id: ApprovalId | null;
    next_at: Date | null;
    created_at: Now;
  };
  schedule_runs: {
    account_id: AccountId;
    schedule_id: ScheduleId;
    due_at: Date;
    outcome: 'queued' | 'waiting' | 'refused' | 'skipped';
    reason: string;
    permit_id: PermitId | null;
    /** How many runs were skipped together. */
    count: Generated<number>;
    last_due_at: Date | null;
    approval_id: ApprovalId | null;
    at: Now;
  };
  approvals: {
    account_id: AccountId;
    id: Generated<ApprovalId>;
    intent: Json<Record<string, unknown>>;
    intent_hash: Buffer;
    reason: string;
    requested_by: string;
    instance_id: InstanceId | null;
    run_id: RunId | null;
    schedule_id: ScheduleId | null;
    state: Generated<'pending' | 'approved' | 'rejected' | 'expired'>;
    answer: string | null;
    /** The first approval in a series of edits of its text. */
    began_as: ApprovalId | null;
    notice_id: OutboxId | null;
    created_at: Now;
    expires_at: Date;
    decided_at: Date | null;
    used_at: Date | null;
  };
  permits: {
    account_id: AccountId;
    id: PermitId;
    ledger_seq: number;
    actor: string;
    intent: string;
    chat_id: ChatId;
    instance_id: InstanceId | null;
    content_hash: Buffer;
    approval_id: ApprovalId | null;
    instance_epoch: number | null;
    /** For a follow-up: the last line of the transcript it was written after. */
    follow_up_after: number | null;
    run_id: RunId | null;
    schedule_id: ScheduleId | null;
    created_at: Now;
    revoked_at: Date | null;
    mac: Buffer | null;
  };
  outbox: {
    account_id: AccountId;
    id: OutboxId;
    seq: Generated<number>;
    permit_id: PermitId;
    chat_id: ChatId;
    instance_id: InstanceId | null;
    message_id: MessageId;
    body: string;
    quotes: MessageId | null;
    /** Null: only text. */
    content: JsonOrNull<OutgoingContent>;
    /** Sealed: what was built for the socket after the upload. */
    wire: Buffer | null;
    state: Generated<OutboxState>;
    attempts: Generated<number>;
    /** Null: not before it has been reconciled. */
    not_before: ColumnType<Date | null, Date | undefined, Date | null>;
    failure: string | null;
    idempotency_key: string | null;
    created_at: Now;
    attempted_at: Date | null;
    in_doubt: Generated<boolean>;
    unknown_since: Date | null;
    told_at: Date | null;
    first_contact: Generated<boolean>;
    sent_at: Date | null;
    delivered_at: Date | null;
    read_at: Date | null;
  };
  media: {
    account_id: AccountId;
    id: Generated<MediaId>;
    /** Null: an upload that no chat has yet. */
    chat_id: ChatId | null;
    /** Its number in `messages`, and when that was sent; null for an upload. */
    message: number | null;
    message_at: Date | null;
    message_id: MessageId | null;
    origin: MediaOrigin;
    /** The client that uploaded it. */
    token_id: TokenId | null;
    kind: MediaKind;
    mime_type: string | null;
    file_name: string | null;
    seconds: number | null;
    bytes: number | null;
    sha256: Buffer | null;
    state: MediaState;
    reason: string | null;
    attempts: Generated<number>;
    not_before: Date | null;
    understood: Generated<UnderstoodState>;
    transcript: string | null;
    language: string | null;
    extracted: string | null;
    understood_by: string | null;
    view_once: Generated<boolean>;
    created_at: Now;
    stored_at: Date | null;
  };
  media_objects: {
    account_id: AccountId;
    sha256: Buffer;
    object: string;
    bytes: number;
    stored_at: Now;
  };
  freezes: {
    account_id: AccountId;
    cause: FreezeCause;
    until: Date;
    strikes: number;
    since: Now;
  };
  instances: {
    account_id: AccountId;
    id: InstanceId;
    queue_seq: Generated<number>;
    contact_id: ContactId;
    chat_id: ChatId;
    target_contact: string;
    objective: string;
    todos: Json<TodoRow[]>;
    state: InstanceState;
    previous_state: InstanceState | null;
    interval_ms: number;
    max_followups: number;
    follow_up_count: number;
    failure_reason: string | null;
    reason: string | null;
    unread: number;
    epoch: number;
    /** One of its messages is queued or of unknown outcome. */
    unsent: Generated<boolean>;
    /** When the follow-up clock was last started. */
    timer_set_at: Date | null;
    timer_due_at: Date | null;
    timer_left_ms: number | null;
    /** A summary of the transcript up to the line `summary_up_to`. */
    summary: string | null;
    summary_up_to: number | null;
    options: Json<{ facts?: string[]; media?: string[] }>;
    result_schema: JsonOrNull<ResultSchema>;
    /** Null without a schema. */
    result_status: ResultStatus | null;
    result: JsonOrNull<Record<string, unknown>>;
    /** Why there is no result. */
    result_reason: string | null;
    /** The actor, as the ledger names it. */
    created_by: Generated<string>;
    created_at: Now;
    updated_at: Now;
  };
  instance_transitions: {
    account_id: AccountId;
    instance_id: InstanceId;
    id: Generated<number>;
    from_state: InstanceState;
    to_state: InstanceState;
    trigger: ConversationEventType;
    epoch: number;
    /** The client that caused it; null for everybody else. */
    caused_by: Generated<string | null>;
    at: Now;
  };
  instance_messages: {
    account_id: AccountId;
    instance_id: InstanceId;
    id: Generated<number>;
    role: 'agent' | 'contact' | 'system' | 'manual';
    content: string;
    outbox_id: OutboxId | null;
    message_id: MessageId | null;
    at: Now;
  };
  runs: {
    account_id: AccountId;
    id: RunId;
    actor: string;
    session_id: SessionId | null;
    instance_id: InstanceId | null;
    /** A `Taint`. */
    taint: ColumnType<unknown, string | undefined, string>;
    provider: string | null;
    model: string | null;
    state: 'running' | 'done' | 'failed' | 'discarded';
    steps: Generated<number>;
    input_tokens: Generated<number>;
    output_tokens: Generated<number>;
    failure: string | null;
    started_at: Now;
    ended_at: Date | null;
    /** The instance's epoch in which it was requested. */
    epoch: number | null;
    /** The last line of the transcript that it was shown. */
    read_up_to: number | null;
  };
  spending: { account_id: AccountId; day: string; tokens: number; micros: Generated<number> };
  tool_calls: {
    account_id: AccountId;
    run_id: RunId;
    call_id: string;
    name: string;
    arguments: Json<unknown>;
    result: Json<unknown> | null;
    permit_id: PermitId | null;
    /** What it did, in words for the owner; null if it did nothing. */
    effect: string | null;
    at: Now;
  };
  timers: {
    account_id: AccountId;
    kind: string;
    subject_id: string;
    epoch: number;
    due_at: Date;
  };
  tokens: {
    account_id: AccountId;
    id: Generated<TokenId>;
    name: string;
    hash: Buffer;
    scopes: string[];
    /** The only contacts the client may use; null means all that grants allow. */
    contacts: ContactId[] | null;
    confirm: Generated<boolean>;
    created_at: Now;
    rotated_at: Date | null;
    suspended_at: Date | null;
    last_used_at: Date | null;
    expires_at: Date | null;
    revoked_at: Date | null;
  };
  token_reads: { account_id: AccountId; token_id: TokenId; chat_id: ChatId; read_at: Now };
  login_codes: {
    hash: Buffer;
    owner_id: Generated<OwnerId>;
    expires_at: Date;
    used_at: Date | null;
  };
  browser_sessions: {
    hash: Buffer;
    owner_id: Generated<OwnerId>;
    created_at: Now;
    expires_at: Date;
    device_id: DeviceId | null;
    used_at: Date | null;
  };
  devices: {
    account_id: AccountId;
    id: Generated<DeviceId>;
    name: string;
    host: string;
    credential_id: Buffer;
    public_key: Buffer;
    /** A bigint, which the driver returns as text. */
    counter: ColumnType<string, number, number>;
    synced: boolean;
    created_at: Now;
    last_used_at: Date | null;
  };
  pairing_codes: {
    account_id: AccountId;
    hash: Buffer;
    attempt: Buffer | null;
    expires_at: Date;
    used_at: Date | null;
  };
}

interface TodoRow {
  id: string;
  text: string;
  status: 'pending' | 'in_progress' | 'completed' | 'skipped';
}
