// The one table of errors: code, HTTP status, exit code of the command, and the sentence a person
// reads. Every sentence says what is wrong and, where there is one, the next step. Whatever is
// thrown inside and is not in this table reaches nobody verbatim: it becomes `internal`.

interface ErrorSpec {
  readonly status: number;
  readonly exit: number;
  /** `{name}` is filled from the parameters given where the error is raised. */
  readonly sentence: string;
  /** Trying again later may help. */
  readonly passes?: true;
}

export const ERRORS = {
  // What was asked
  invalid_request: { status: 400, exit: 2, sentence: 'The request is not valid: {what}.' },
  invalid_phone: { status: 400, exit: 2, sentence: 'Invalid phone number' },
  unsupported_media: { status: 415, exit: 2, sentence: 'Send the body as application/json.' },
  body_too_large: { status: 413, exit: 2, sentence: 'The body is larger than {limit} allows.' },
  route_not_found: {
    status: 404,
    exit: 2,
    sentence: 'There is nothing at {method} {path}. The list of routes is at /api/docs.',
  },
  not_found: { status: 404, exit: 4, sentence: 'Nothing found under that id.' },
  instance_not_found: {
    status: 404,
    exit: 4,
    sentence: 'Instance {id} not found. /api/instances lists the ones there are.',
  },
  conversation_unknown: {
    status: 404,
    exit: 4,
    sentence:
      'No conversation has an id that begins with {id}. `relay list --all` shows those there are.',
  },
  conversation_ambiguous: {
    status: 400,
    exit: 2,
    sentence: 'More than one id begins with {id}: {candidates}. Give more of it.',
  },
  message_unknown: {
    status: 404,
    exit: 4,
    sentence: 'No message has the id {id}, or one that begins so. `relay messages` shows the ids.',
  },
  message_ambiguous: {
    status: 409,
    exit: 2,
    sentence:
      'More than one message fits {id}: {candidates}. Give more of the id, or name the chat.',
  },
  illegal_transition: {
    status: 409,
    exit: 5,
    sentence: 'Instance {id} is {state}: {event} is not possible now.',
  },
  approval_not_found: {
    status: 404,
    exit: 4,
    sentence: 'Approval {id} not found. `relay approvals` lists what waits for you.',
  },
  approval_answered: {
    status: 409,
    exit: 5,
    sentence:
      'Approval {id} was {state} already; each is answered once. `relay approvals` lists what waits.',
  },
  approval_expired: {
    status: 409,
    exit: 5,
    sentence:
      'Approval {id} has expired: nobody answered in time, or its conversation has ended. Resume the conversation and its agent asks anew.',
  },
  approval_ambiguous: {
    status: 400,
    exit: 2,
    sentence: 'More than one approval begins with {id}. Give more of it.',
  },

  // People
  permission_incomplete: {
    status: 400,
    exit: 2,
    sentence: 'phoneNumber and displayName are required',
  },
  permission_exists: {
    status: 409,
    exit: 5,
    sentence: 'Permission already exists for this phone number',
  },
  permission_not_found: { status: 404, exit: 4, sentence: 'Permission not found' },
  contact_not_found: {
    status: 404,
    exit: 4,
    sentence: 'There is no such contact. /api/contacts lists those there are.',
  },
  contact_unknown: {
    status: 404,
    exit: 4,
    sentence:
      'Nobody here is called {who}. `relay contacts` shows whom Relay knows; somebody new is named by their number, as in +49 170 1234567.',
  },
  forget_self: {
    status: 409,
    exit: 2,
    sentence:
      'That is you. `relay whatsapp disconnect --clear-session` unlinks this device; deleting the home erases everything.',
  },
  contact_ambiguous: {
    status: 400,
    exit: 2,
    sentence: '{who} may be any of these: {candidates}. Say which by the number.',
  },
  group_unknown: {
    status: 404,
    exit: 4,
    sentence:
      'No group here is called {group}. `relay contacts` shows those that Relay knows; one that was silent so far is named by its address, as in 120363000000000001@g.us.',
  },
  group_unclear: {
    status: 409,
    exit: 2,
    sentence: '{group} may be any of these groups: {candidates}. Say which by the address.',
  },
  not_observed: {
    status: 404,
    exit: 4,
    sentence: '{group} is not observed. `relay observe list` shows what is.',
  },
  not_announced: {
    status: 409,
    exit: 2,
    sentence:
      'Tell the group {group} first that it is going to be read. You could write there: “{announcement}” Then do this again with `--announced` (or `"announced": true`).',
  },
  unknown_zone: {
    status: 400,
    exit: 2,
    sentence: '{zone} is no time zone. Give one such as Europe/Berlin.',
  },
  unknown_day: {
    status: 400,
    exit: 2,
    sentence:
      '{day} is no day that is known here. Give a date, as in 2026-03-01, or words such as yesterday, friday or last week.',
  },
  not_granted: {
    status: 404,
    exit: 4,
    sentence: 'Nothing is granted to {who}. `relay contacts` shows what is granted.',
  },

  invalid_schedule: { status: 400, exit: 2, sentence: '{what}' },
  schedule_not_found: {
    status: 404,
    exit: 4,
    sentence: 'Schedule {id} not found. `relay schedule list` shows those there are.',
  },
  schedule_ambiguous: {
    status: 400,
    exit: 2,
    sentence: 'More than one schedule begins with {id}: {candidates}. Give more of it.',
  },
  schedule_over: {
    status: 409,
    exit: 5,
    sentence:
      'Schedule {id} has come to its end: there is nothing left to cancel. `relay schedule list` shows what is to come.',
  },
  no_own_chat: {
    status: 409,
    exit: 5,
    sentence:
      'No phone is linked yet, so there is no chat with yourself. Link one with `relay init`.',
  },
  key_reused: {
    status: 409,
    exit: 5,
    sentence: 'This idempotency key was used for another message. Use a new key for a new message.',
  },
  conflict: { status: 409, exit: 5, sentence: '{what}' },

  // WhatsApp
  no_qr_code: { status: 404, exit: 4, sentence: 'No QR code available' },
  whatsapp_not_connected: { status: 409, exit: 5, sentence: '{sentence}' },
  invalid_recipient: {
    status: 400,
    exit: 2,
    sentence:
      'Nobody can be reached at {to}. Give a phone number in international form, as in +49 170 1234567.',
  },

  // Who asked
  unauthorized: {
    status: 401,
    exit: 6,
    sentence: 'A valid token is needed. `relay token` prints yours.',
  },
  forbidden: { status: 403, exit: 6, sentence: 'This token may not do that: it lacks {scope}.' },
  token_needed: {
    status: 403,
    exit: 6,
    sentence: 'A browser session may not do that; the `relay` command can.',
  },
  login_code_invalid: {
    status: 401,
    exit: 6,
    sentence: 'This link was used already or has expired. Run `relay open` for a new one.',
  },
  bad_host: { status: 421, exit: 6, sentence: 'This address is not one Relay answers to.' },
  bad_origin: { status: 403, exit: 6, sentence: 'Requests from that origin are refused.' },
  rate_limited: { status: 429, exit: 7, sentence: 'Too many requests. Try again in {seconds} s.' },
  denied: { status: 403, exit: 6, sentence: 'Not allowed: {reason}' },

  // The daemon
  daemon_not_running: {
    status: 503,
    exit: 3,
    sentence: 'Daemon not running. Run `relay start` first.',
  },
  daemon_already_running: {
    status: 409,
    exit: 0,
    sentence: 'The daemon is already running (PID {pid}).',
  },
  daemon_not_ready: {
    status: 503,
    exit: 3,
    sentence: 'The daemon is still starting. Try again in a moment.',
  },
  daemon_stopping: {
    status: 503,
    exit: 3,
    sentence: 'The daemon is stopping. Run `relay start` when it has.',
  },
  daemon_start_failed: {
    status: 500,
    exit: 8,
    sentence: 'The daemon did not start: {reason} `relay logs` has the details.',
  },
  daemon_stop_failed: {
    status: 500,
    exit: 8,
    sentence:
      'The daemon (PID {pid}) did not stop within {seconds} s. `kill -9 {pid}` ends it; nothing that was acknowledged is lost.',
  },
  home_in_use: {
    status: 409,
    exit: 8,
    sentence:
      'Another daemon (PID {pid}) owns {home}. Stop it with `relay stop`, or choose another home with RELAY_HOME.',
  },
  home_unusable: {
    status: 500,
    exit: 8,
    sentence: '{home} cannot be used: {reason} Choose another home with RELAY_HOME.',
  },
  port_in_use: {
    status: 409,
    exit: 8,
    sentence:
      'Port {port} is in use by another program. Stop it, or choose another with "daemon_port" in {file} or RELAY_PORT.',
  },
  config_invalid: {
    status: 500,
    exit: 2,
    sentence: '{file} is not valid: {what}. Mend it or remove it.',
  },
  node_too_old: {
    status: 500,
    exit: 8,
    sentence: 'Relay needs Node 24 or newer; this is {version}.',
  },

  // The demo
  demo_headless_only: {
    status: 500,
    exit: 2,
    sentence:
      'The demo has no screen for people yet. `relay demo --headless --json` starts it for programs.',
  },
  demo_daemon_ended: {
    status: 500,
    exit: 8,
    sentence:
      'The daemon of the demo is gone: {reason} Start the demo again; with --home its log stays.',
  },

  // The database
  database_unavailable: {
    status: 503,
    exit: 8,
    sentence: 'The database does not answer. `relay doctor` says why.',
  },
  database_start_failed: {
    status: 500,
    exit: 8,
    sentence: 'The private PostgreSQL did not start: {reason}',
  },
  database_unsupported: {
    status: 500,
    exit: 8,
    sentence: 'No PostgreSQL is packaged for {platform}. Set DATABASE_URL to a server of your own.',
  },
  schema_newer: {
    status: 500,
    exit: 8,
    sentence:
      'The database was written by a newer Relay (schema {found}, this one knows {known}). Upgrade Relay, or restore a backup made with this version.',
  },
  migration_changed: {
    status: 500,
    exit: 8,
    sentence:
      'Migration {name} differs from the one this database was made with. Install the matching Relay version.',
  },
  account_in_use: {
    status: 409,
    exit: 8,
    sentence:
      'Another Relay acts for this account on the same database. Stop it first; it lets go within 30 s.',
  },
  budget_spent: {
    status: 409,
    exit: 5,
    sentence:
      'The tokens for {whom} are used up: {used} of {limit}. Raise "{setting}" in config.json and resume it, or write yourself.',
  },
  lease_lost: {
    status: 503,
    exit: 8,
    sentence: 'Another worker has taken over this account; nothing was changed here.',
  },

  // The model of the agents
  agent_unavailable: {
    status: 503,
    exit: 8,
    sentence:
      'Your agents have no model yet: {what}. Run `relay init` to set it up, then resume the conversation.',
  },
  model_key_sealed: {
    status: 500,
    exit: 8,
    sentence:
      'The key of your model was sealed for another home. Run `relay init --api-key` to give it anew.',
  },
  brave_key_sealed: {
    status: 500,
    exit: 8,
    sentence:
      'The key of the web search was sealed for another home. Run `relay init --brave-key` to give it anew.',
  },
  embeddings_incomplete: {
    status: 400,
    exit: 2,
    sentence:
      'Memory by meaning is not set up: {what}. `relay memory embeddings --help` shows what is needed.',
  },
  embeddings_key_sealed: {
    status: 500,
    exit: 8,
    sentence:
      'The key of the embeddings endpoint was sealed for another home. Run `relay memory embeddings endpoint --key` to give it anew.',
  },
  embeddings_missing: {
    status: 409,
    exit: 5,
    sentence:
      'The local model is not installed. Install it with `npm install --global {packages}`, then try again.',
  },
  embeddings_refused: {
    status: 502,
    exit: 8,
    sentence:
      'The embeddings endpoint refused: {where} answered {status}. Check address, model and key with `relay memory embeddings`.',
  },
  embeddings_away: {
    status: 503,
    exit: 8,
    sentence:
      'Texts got no vectors: {what}. Until that works, memory finds them by their words; Relay keeps trying.',
    passes: true,
  },
  model_refused: {
    status: 502,
    exit: 8,
    sentence:
      'The model refused: {provider} answered {status}. Check key, model name and address with `relay init`, then resume.',
  },
  model_busy: {
    status: 503,
    exit: 8,
    passes: true,
    sentence:
      'The model has too much to do: {provider} asked to be left alone for a while. Resume the conversation later.',
  },
  model_unreachable: {
    status: 503,
    exit: 8,
    passes: true,
    sentence:
      'The model cannot be reached: {provider} failed ({what}). Resume the conversation when it answers again; `relay init` changes its address.',
  },
  model_garbled: {
    status: 502,
    exit: 8,
    passes: true,
    sentence:
      'The model answered something that cannot be read; {provider} may be broken. Resume the conversation to try again, or choose another model with `relay init`.',
  },
  model_slow: {
    status: 504,
    exit: 8,
    passes: true,
    sentence:
      'The agent needed more than {seconds} s for its turn and was stopped. Resume the conversation to let it try again, or raise "agent.turn_timeout_ms" in config.json.',
  },
  model_endless: {
    status: 502,
    exit: 8,
    sentence:
      'The model did not come to an end within its steps. Raise "agent.max_steps" in config.json, or try another model.',
  },

  eval_running: {
    status: 409,
    exit: 5,
    sentence:
      'An evaluation runs already. Wait until it is over, or stop it with Ctrl-C where it was started.',
  },
  answer_broke_off: {
    status: 503,
    exit: 3,
    sentence:
      'The answer broke off: the daemon is gone or stopping. `relay status` says how it is; what was said by then is kept.',
  },

  // The key of a home
  vault_key_missing: {
    status: 500,
    exit: 8,
    sentence:
      'This home is sealed with a key that is not on this machine: {where} is missing. Bring the key here and start again; if it lies elsewhere, name it with RELAY_KEY_FILE.',
  },
  vault_key_wrong: {
    status: 500,
    exit: 8,
    sentence:
      'The key in {where} is not the one this home is sealed with. Put the right one in its place and start again.',
  },
  vault_key_unreadable: {
    status: 500,
    exit: 8,
    sentence:
      '{file} cannot be read as a key. Check its permissions and that it is the whole file, then start again.',
  },
  vault_key_unwritable: {
    status: 500,
    exit: 8,
    sentence:
      'The key of this home cannot be written to {file}. Make that place writable, or choose another with RELAY_KEY_FILE.',
  },
  vault_key_inside: {
    status: 500,
    exit: 8,
    sentence:
      '{file} lies inside the home that it seals. Choose a place outside with RELAY_KEY_FILE.',
  },
  vault_keyring_away: {
    status: 503,
    exit: 8,
    sentence:
      "The key of this home is in the system's keyring, which does not answer. Unlock the keyring and start again.",
  },
  vault_passphrase_needed: {
    status: 500,
    exit: 8,
    sentence: 'This home is sealed with a passphrase. Set RELAY_PASSPHRASE and start again.',
  },
  vault_passphrase_wrong: {
    status: 500,
    exit: 8,
    sentence:
      'RELAY_PASSPHRASE does not open this home. Set it to the passphrase the home was made with.',
  },
  vault_damaged: {
    status: 500,
    exit: 8,
    sentence:
      '{file} is damaged; it says where the key of this home is kept. Restore it from a copy; it holds no secret.',
  },

  // Messages that come beside the wire
  notification_group_unknown: {
    status: 404,
    exit: 4,
    sentence:
      'No group that is observed has this name, so nothing was stored. `relay observe list` shows what they are called.',
  },
  notification_group_ambiguous: {
    status: 409,
    exit: 5,
    sentence:
      'Several groups that are observed have this name, so nothing was stored. Rename one of them in WhatsApp.',
  },
  notification_time: {
    status: 400,
    exit: 2,
    sentence:
      'A notification is a week old or from tomorrow, so nothing was stored. Send the time at which it was shown.',
  },
  notification_empty: {
    status: 400,
    exit: 2,
    sentence: 'A notification says nothing, so nothing was stored. Send its text or a media_type.',
  },

  // Memory outside of Relay
  webhook_secret_sealed: {
    status: 500,
    exit: 8,
    sentence:
      'The secret of the webhook was sealed for another home. `relay memory outside --rotate-secret` makes a new one.',
  },
  outside_folder: {
    status: 400,
    exit: 2,
    sentence:
      'The folder must be named from the root, as in /home/ana/memory. Nothing was changed.',
  },

  // Exported chats
  export_invalid: {
    status: 400,
    exit: 2,
    sentence:
      'This is no exported chat: {what}. In WhatsApp open the chat, choose Export chat, and give the .txt or .zip.',
  },
  export_date_order: {
    status: 400,
    exit: 2,
    sentence:
      'Whether 02/03 is in February or in March cannot be told from this chat, so nothing was imported. Say it with --date-order dmy, mdy or ymd.',
  },
  export_chat: {
    status: 400,
    exit: 2,
    sentence:
      'Which chat this is cannot be told by its name, so nothing was imported. Say it with --chat "a name or a number".',
  },
  export_me: {
    status: 400,
    exit: 2,
    sentence:
      'Who of these is you cannot be told, so nothing was imported: {names}. Say it with --me "name"; with --me "" if you wrote nothing there.',
  },
  export_busy: {
    status: 409,
    exit: 5,
    sentence: 'Another chat is being imported. Try again when it is done.',
  },

  // Archives
  archive_invalid: {
    status: 400,
    exit: 2,
    sentence: 'The archive cannot be used: {what}. Nothing was changed.',
  },
  import_not_empty: {
    status: 409,
    exit: 5,
    sentence:
      'This home already holds data. Import into an empty one: set RELAY_HOME to a new directory.',
  },

  // Digests
  digest_unreadable: {
    status: 502,
    exit: 1,
    sentence:
      'The model answered twice with something that is no digest, so there is none. It is tried again with the next hour, three times in all; another model may do better (`relay init`).',
  },
  digest_without_hours: {
    status: 502,
    exit: 1,
    sentence:
      'None of the hours of this day could be digested, so neither could the day. `relay digest --hours` says why.',
  },
  digest_unknown_day: {
    status: 400,
    exit: 2,
    sentence: '"{day}" is no day. Say yesterday, today, a weekday, or a date such as 2026-03-06.',
  },
  no_group_observed: {
    status: 404,
    exit: 4,
    sentence: 'No group is observed, so there is nothing to sum up. `relay observe add` begins.',
  },
  digest_group_unknown: {
    status: 404,
    exit: 4,
    sentence: 'No observed group is called {group}. Observed are: {groups}.',
  },

  // The command line
  usage: { status: 400, exit: 2, sentence: '{what}' },
  command_failed: {
    status: 500,
    exit: 1,
    sentence: 'The command failed: {reason} `relay doctor` may say more.',
  },

  internal: {
    status: 500,
    exit: 1,
    sentence:
      'Something went wrong inside Relay. `relay logs` has the details under request {request}.',
  },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof ERRORS;
export type ErrorParams = Readonly<Record<string, string | number>>;

export function sentence(code: ErrorCode, params: ErrorParams = {}): string {
  return ERRORS[code].sentence.replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in params ? String(params[name]) : whole,
  );
}

/** The only error that may cross a boundary: its message is the table's sentence. */
export class RelayError extends Error {
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  /** One further sentence for a person, beside the main one. */
  readonly details: string | undefined;

  constructor(
    code: ErrorCode,
    params: ErrorParams = {},
    options: { details?: string; cause?: unknown } = {},
  ) {
    super(
      sentence(code, params),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'RelayError';
    this.code = code;
    this.params = params;
    this.details = options.details;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  /** Whether trying again later may help. */
  get passes(): boolean {
    return 'passes' in ERRORS[this.code];
  }

  get exit(): number {
    return ERRORS[this.code].exit;
  }
}
