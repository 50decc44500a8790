// Lists every table and column, and what happens to it when a contact is erased. `columns.int.test.ts` compares the
// list with the database: whoever adds a table or a column says here what it contains and how it is erased.
//
// words   what somebody wrote, or text derived from it
// who     a name or an address of somebody
// sealed  bytes that only the home's key decrypts; erased like words
// ids     ids of Relay and of WhatsApp: useless once the row they refer to is gone
// plain   numbers, times, states and codes from fixed lists
// owner   the owner's own settings, secrets and messages to Relay

type ColumnKind = 'words' | 'who' | 'sealed' | 'ids' | 'plain' | 'owner';

/** Column names, separated by spaces. */
type TableColumns = Readonly<Partial<Record<ColumnKind, string>>> & {
  /** How its rows are erased, or why they stay. */
  readonly goes: string;
};

const stays = (why: string): string => `stays: ${why}`;

const MESSAGE = 'with the message, by eraseSome';
const BY_TRIGGER = 'with the message, by trigger';
const CHAT = 'with the chat or the person, by foreign key';
const CONVERSATION = 'with the conversation, by foreign key';
const NAMELESS = stays('names nobody');
const OWNERS = stays("the owner's own");

/** The tables of the schema `relay`. Partitions of `messages` have the same columns. */
export const ERASURE_COLUMNS: Readonly<Record<string, TableColumns>> = {
  owners: { goes: OWNERS, owner: 'name token_hash', plain: 'id role created_at' },
  accounts: {
    goes: OWNERS,
    owner: 'name label settings phone lid salt',
    plain: 'id owner_id is_default created_at linked_at follow_ups_suspended_since',
  },
  account_leases: { goes: NAMELESS, plain: 'account_id holder epoch until wire_epoch' },
  holds: { goes: OWNERS, owner: 'reason', plain: 'account_id since' },
  settings: { goes: OWNERS, owner: 'key value', plain: 'account_id updated_at' },
  workers: {
    goes: NAMELESS,
    plain:
      'id run host pid address version capacity draining started_at last_seen_at until lost_at stopped_at',
  },
  whatsapp_links: { goes: OWNERS, owner: 'link', plain: 'account_id updated_at' },
  worker_requests: {
    goes: stays('deleted within seconds'),
    owner: 'request answer',
    plain: 'account_id id created_at deadline taken_at',
  },
  shared_key: { goes: NAMELESS, plain: 'one word' },
  daemon_runs: { goes: NAMELESS, plain: 'holder version started_at last_seen_at stopped_at' },
  schema_migrations: { goes: NAMELESS, plain: 'number name checksum applied_at' },
  freezes: { goes: NAMELESS, plain: 'account_id cause until strikes since' },
  spending: { goes: NAMELESS, plain: 'account_id day tokens micros' },
  retention_runs: {
    goes: NAMELESS,
    plain: 'account_id id at cause messages digests scoured ms',
  },

  // A hash in `detail` is salted with a value that is erased with the chat or the contact: 0003_ledger.sql.
  ledger: {
    goes: stays('decisions by ids and codes; the chain must stay whole'),
    ids: 'actor subject_id detail',
    plain: 'account_id seq at action subject_kind outcome reason hash',
  },
  ledger_heads: { goes: NAMELESS, plain: 'account_id seq hash mac' },
  events: {
    goes: 'where it speaks of what goes, by eraseWhole; all within 7 days',
    ids: 'subject data',
    plain: 'account_id xid id at kind',
  },

  contacts: {
    goes: 'with the person, by eraseWhole',
    who: 'display_name push_name',
    ids: 'id salt',
    plain: 'account_id created_at last_message_at',
  },
  contact_aliases: {
    goes: CHAT,
    who: 'value',
    ids: 'contact_id',
    plain: 'account_id kind learnt_at is_registered asked_at',
  },
  chats: {
    goes: 'with the chat or the person, by eraseWhole',
    who: 'group_address subject',
    ids: 'id contact_id salt',
    plain: 'account_id kind expires_after_s last_message_at unread_count retention_days created_at',
  },
  chat_members: { goes: CHAT, ids: 'chat_id contact_id', plain: 'account_id role' },
  grants: {
    goes: CHAT,
    words: 'options',
    who: 'display_name',
    ids: 'id contact_id chat_id session_id',
    plain: 'account_id can_read can_reply can_initiate reply_mode created_at updated_at',
  },
  knocks: {
    goes: CHAT,
    ids: 'contact_id',
    plain: 'account_id count first_at last_at dismissed_at',
  },

  stranger_use: {
    goes: CHAT,
    ids: 'contact_id',
    plain: 'account_id day bytes not_stored',
  },

  whatsapp_credentials: { goes: OWNERS, sealed: 'value', plain: 'account_id updated_at' },
  whatsapp_keys: {
    goes: stays('without them nothing that is written again could be opened; unlinking ends them'),
    owner: 'id',
    sealed: 'value',
    plain: 'account_id kind',
  },
  decrypt_journal: {
    goes: 'with the message, by the time it was received; all within 14 days; plaintext only of what is no message',
    sealed: 'plain',
    ids: 'digest',
    plain: 'account_id at',
  },
  inbox: {
    goes: 'when the message is stored; what is not, with the person, within 7 days',
    words: 'stanza failure',
    who: 'chat sender',
    sealed: 'content',
    ids: 'message_id',
    plain: 'account_id seq received_at done_at',
  },
  message_keys: {
    goes: `${MESSAGE}; a mark in erased_messages takes its place`,
    who: 'sender',
    ids: 'chat_id message_id id',
    plain: 'account_id sent_at',
  },
  messages: {
    goes: MESSAGE,
    words: 'body details media',
    who: 'chat_address sender_address sender_name',
    sealed: 'content',
    ids: 'id chat_id sender_id message_id quoted_id',
    plain: 'account_id sent_at from_me kind received_at late source',
  },
  notifications: {
    goes: BY_TRIGGER,
    who: 'sender_name',
    ids: 'chat_id message',
    plain: 'account_id id at',
  },
  erased_messages: {
    goes: stays('a salted hash of an id, for 90 days: what comes again stays erased'),
    ids: 'mark',
    plain: 'account_id at',
  },
  search_documents: {
    goes: `${BY_TRIGGER}; with the digest, by trigger`,
    words: 'terms',
    ids: 'id source_id chat_id contact_id',
    plain: 'account_id source_kind at length changes',
  },
  search_vectors: {
    goes: 'with the document, by foreign key',
    words: 'vector',
    ids: 'document_id',
    plain: 'account_id provider model dims',
  },
  search_vector_progress: { goes: NAMELESS, plain: 'account_id provider model lower upper' },
  search_vectors_changed: {
    goes: stays('numbers of documents that are gone, until the daemon has read them'),
    ids: 'document_id',
    plain: 'account_id',
  },
  search_progress: { goes: NAMELESS, plain: 'account_id version indexed_up_to documents' },

  approvals: {
    goes: 'with the chat, the person or the conversation, by eraseQuestions',
    words: 'intent answer',
    ids: 'id intent_hash requested_by instance_id run_id schedule_id began_as notice_id',
    plain: 'account_id reason state created_at expires_at decided_at used_at',
  },
  permits: {
    goes: 'with the chat, by erasePermits',
    ids: 'id actor chat_id instance_id content_hash approval_id run_id schedule_id',
    plain:
      'account_id ledger_seq outcome intent created_at revoked_at instance_epoch follow_up_after mac',
  },
  outbox: {
    goes: 'with the chat, by eraseOutgoing',
    words: 'body content failure idempotency_key',
    sealed: 'wire',
    ids: 'id permit_id chat_id instance_id message_id quotes',
    plain:
      'account_id seq state attempts not_before created_at sent_at delivered_at read_at attempted_at in_doubt unknown_since told_at first_contact',
  },

  media: {
    goes: `${BY_TRIGGER}; of a chat, by foreign key; an upload that nothing sends, within a day`,
    words: 'file_name transcript extracted',
    ids: 'id chat_id message message_id token_id sha256',
    plain:
      'account_id message_at origin kind mime_type seconds bytes state reason attempts not_before understood language understood_by view_once created_at stored_at',
  },
  media_objects: {
    goes: 'with the last piece of media that has this content, by removeUnusedObjects',
    ids: 'sha256 object',
    plain: 'account_id bytes stored_at',
  },

  instances: {
    goes: CHAT,
    words:
      'objective todos failure_reason reason summary options result_schema result result_reason',
    who: 'target_contact',
    ids: 'id contact_id chat_id created_by',
    plain:
      'account_id queue_seq state previous_state interval_ms max_followups follow_up_count unread epoch unsent timer_set_at timer_due_at timer_left_ms summary_up_to result_status created_at updated_at',
  },
  instance_transitions: {
    goes: CONVERSATION,
    ids: 'instance_id caused_by',
    plain: 'account_id id from_state to_state trigger epoch at',
  },
  instance_messages: {
    goes: CONVERSATION,
    words: 'content',
    ids: 'instance_id outbox_id message_id',
    plain: 'account_id id role at',
  },
  timers: {
    goes: 'where it wakes what goes, by eraseWhole',
    ids: 'subject_id',
    plain: 'account_id kind epoch due_at',
  },
  sessions: {
    goes: `${CHAT}; the assistant's own stays without its summary`,
    words: 'summary options rest_reason',
    who: 'title',
    ids: 'id chat_id contact_id key',
    plain: 'account_id kind created_at updated_at resting_until rests begins_after',
  },
  session_messages: {
    goes: 'with the session, by foreign key; what the assistant made of it, by eraseAnswers',
    words: 'content',
    ids: 'session_id run_id message_id outbox_id approval_id',
    plain: 'account_id id role at waiting answers command untrusted suggested',
  },
  runs: {
    goes: 'with the session or the conversation, by foreign key',
    words: 'failure',
    ids: 'id actor session_id instance_id taint',
    plain:
      'account_id provider model state steps input_tokens output_tokens cost_micros started_at ended_at epoch read_up_to',
  },
  tool_calls: {
    goes: 'with the run, by foreign key; of the assistant, by eraseAnswers; all within 30 days',
    words: 'arguments result effect',
    ids: 'run_id call_id permit_id',
    plain: 'account_id name at',
  },

  observed_groups: {
    goes: CHAT,
    owner: 'options',
    ids: 'chat_id',
    plain: 'account_id zone since announced_at',
  },
  once_observed: { goes: CHAT, ids: 'chat_id', plain: 'account_id until' },
  observed_messages: {
    goes: BY_TRIGGER,
    ids: 'chat_id message',
    plain: 'account_id sent_at category noise tokens',
  },
  observer_requests: {
    goes: BY_TRIGGER,
    words: 'reason',
    ids: 'id chat_id message run_id outbox_id',
    plain: 'account_id sent_at state verdict created_at answered_at',
  },
  observer_usage: {
    goes: CHAT,
    ids: 'chat_id',
    plain: 'account_id day messages_kept messages_cut tokens_spent tokens_saved',
  },
  digests: {
    goes: 'with the chat, by foreign key; of a person, by eraseDigests',
    words: 'body',
    ids: 'id chat_id read_up_to run_id',
    plain: 'account_id kind period_start period_end tokens messages created_at',
  },
  digest_failures: {
    goes: `${CHAT}; as old as digests may be`,
    ids: 'chat_id read_up_to',
    plain: 'account_id kind period_start period_end reason tries messages at',
  },
  digest_facts: {
    goes: 'with the digest, by foreign key',
    words: 'body data',
    ids: 'id digest_id',
    plain: 'account_id kind',
  },
  outside_copies: {
    goes: 'once its lines are out of the file and the webhook was told, by features/digest-export/feature.ts',
    owner: 'file',
    ids: 'digest_id',
    plain: 'account_id told_of erased_at',
  },

  schedules: {
    goes: CHAT,
    words: 'body content',
    ids: 'id chat_id created_by approval_id',
    plain: 'account_id rule zone catch_up state next_at created_at',
  },
  schedule_runs: {
    goes: 'with the schedule, by foreign key',
    ids: 'schedule_id permit_id approval_id',
    plain: 'account_id due_at outcome reason at count last_due_at',
  },

  tokens: {
    goes: 'stays without the person, by eraseWhole',
    owner: 'name hash',
    ids: 'id contacts',
    plain:
      'account_id scopes confirm created_at rotated_at suspended_at last_used_at expires_at revoked_at spans',
  },
  token_reads: {
    goes: stays('what a program has read it goes on having read; the id leads nowhere'),
    ids: 'token_id chat_id',
    plain: 'account_id read_at',
  },
  login_codes: { goes: OWNERS, owner: 'hash', plain: 'owner_id expires_at used_at' },
  browser_sessions: {
    goes: OWNERS,
    owner: 'hash',
    ids: 'device_id',
    plain: 'owner_id created_at expires_at used_at',
  },
  devices: {
    goes: OWNERS,
    owner: 'name host credential_id public_key',
    ids: 'id',
    plain: 'account_id counter synced created_at last_used_at',
  },
  pairing_codes: { goes: OWNERS, owner: 'hash attempt', plain: 'account_id expires_at used_at' },
  webhooks: {
    goes: OWNERS,
    owner: 'name url events filter include_text',
    sealed: 'secret previous_secret',
    ids: 'id token_id',
    plain: 'account_id rotated_at enabled note created_at last_delivered_at failing_since',
  },
  webhook_deliveries: {
    goes: 'where it speaks of them, by eraseMentioned; all within 30 days',
    ids: 'id webhook_id facts',
    plain:
      'account_id seq type cursor event_at state attempts next_at last_status failure created_at settled_at',
  },
  webhook_progress: { goes: NAMELESS, plain: 'account_id cursor' },
  push_keys: { goes: OWNERS, owner: 'public_key', sealed: 'private_key', plain: 'account_id' },
  push_devices: {
    goes: OWNERS,
    owner: 'name endpoint p256dh auth session_hash',
    ids: 'id paired_device',
    plain: 'account_id locale created_at last_delivered_at failing_since',
  },
  owner_notifications: {
    goes: 'where it speaks of them, by eraseMentioned; all within 30 days',
    ids: 'id key subject',
    plain: 'account_id kind created_at',
  },
  notification_deliveries: {
    goes: 'with the notification, by foreign key',
    ids: 'id notification_id device_id',
    plain:
      'account_id seq channel action state attempts next_at last_status failure created_at settled_at',
  },
  notification_progress: { goes: NAMELESS, plain: 'account_id cursor' },
  trace_progress: { goes: NAMELESS, plain: 'account_id instance since ledger_seq' },
  traced: {
    goes: stays('ids of turns and messages, for a day at most; they lead nowhere'),
    ids: 'id',
    plain: 'account_id at',
  },
  idempotency_keys: {
    goes: 'where it speaks of them, by eraseMentioned; all within 7 days',
    words: 'response',
    owner: 'key',
    ids: 'actor request_hash',
    plain: 'account_id status created_at',
  },
};

// Columns and tables that may contain personal data: they must contain none after an erasure, and are rewritten.

const PERSONAL_KINDS = ['words', 'who', 'sealed'] as const;

/** Columns that may contain personal data, and must contain none after an erasure. */
export const personalColumns = (table: TableColumns): string[] =>
  table.goes.startsWith('stays') ? [] : PERSONAL_KINDS.flatMap((kind) => columnNames(table[kind]));

export const columnNames = (names: string | undefined): string[] => names?.split(' ') ?? [];

export const PERSONAL_TABLES: readonly string[] = Object.entries(ERASURE_COLUMNS)
  .filter(([, table]) => personalColumns(table).length > 0)
  .map(([name]) => name);
