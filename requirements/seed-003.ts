// Requirements of seed 003, delegated conversations: acceptance criteria in the seed's order, then contracts, the
// transition table as completed for Relay, invariants, errors, performance and security.

export const SEED_003: Readonly<Record<string, string>> = {
  // Daemon lifecycle
  'AC-1.1': '`relay start` with no daemon running spawns one in the background, writes its PID to `daemon.pid` in the home and binds 127.0.0.1:3214.',
  'AC-1.2': '`relay stop` with a running daemon flushes all state to disk and ends the process.',
  'AC-1.3': '`relay start` with a running daemon says that it is already running.',
  'AC-1.4': 'Every command that needs the daemon, run without one, says clearly to run `relay start`.',

  // WhatsApp connection
  'AC-2.1': '`relay init` shows a QR code in the terminal for linking WhatsApp.',
  'AC-2.2': 'After a successful scan the credentials are persisted in the database, and a restarted daemon reconnects without a new scan.',
  'AC-2.3': 'A connection dropped by a transient network fault is restored by itself with exponential backoff.',

  // Instance creation
  'AC-3.1': '`relay create` with objective, contact and todos makes an instance in CREATED and prints its unique id to stdout.',
  'AC-3.2': '`relay create` for a contact that has an active instance makes the new one QUEUED.',
  'AC-3.3': 'When the active instance of a contact reaches a terminal state, its next QUEUED instance moves to CREATED.',

  // State machine
  'AC-4.1': 'An event moves an instance only to a state that the transition table allows.',
  'AC-4.2': 'An invalid transition is rejected and logged with current state, attempted event and instance id.',
  'AC-4.3': '`relay pause <id>` on a non-terminal instance moves it to PAUSED and records the previous state.',
  'AC-4.4': '`relay resume <id>` on a PAUSED instance moves it back to the recorded state.',
  'AC-4.5': '`relay resume <id>` or `relay send <id> <message>` on NEEDS_HUMAN_INTERVENTION moves it to ACTIVE.',
  'AC-4.6': '`relay cancel <id>` on a non-terminal instance moves it to FAILED with reason "cancelled" and sends no farewell.',

  // Agent tools
  'AC-5.1': '`send_message(text)` in an active conversation delivers the text by WhatsApp and records it in the transcript.',
  'AC-5.2': '`mark_todo_item(todo_id, status)` updates the todo and persists it.',
  'AC-5.3': '`end_conversation(reason)` moves the instance to COMPLETED.',
  'AC-5.4': '`schedule_next_heartbeat(delay)` schedules a follow-up timer for that delay.',
  'AC-5.5': '`place_call()` logs the call and answers that the feature is not yet available.',
  'AC-5.6': '`request_human_intervention(reason)` moves the instance to NEEDS_HUMAN_INTERVENTION.',

  // Heartbeats
  'AC-6.1': 'A contact who does not answer within the heartbeat interval makes the agent send a follow-up.',
  'AC-6.2': 'After the last allowed follow-up without an answer the instance moves to ABANDONED.',
  'AC-6.3': 'While an instance is PAUSED its timers are suspended and no follow-up is sent.',

  // Observability
  'AC-7.1': '`relay list` shows all instances with their state.',
  'AC-7.2': '`relay get <id>` shows the whole instance: objective, todos, state, heartbeat configuration.',
  'AC-7.3': '`relay transcript <id>` shows the full message history with timestamps and senders.',
  'AC-7.4': '`relay status` shows daemon PID, uptime, WhatsApp connection state and active instance count.',
  'AC-7.5': '`relay status --json` prints the status as one machine-readable JSON object.',

  // Manual messages
  'AC-8.1': '`relay send <id> <message>` on an active instance sends it by WhatsApp and records it in the transcript as manual.',
  'AC-8.2': '`relay send <id> <message>` on NEEDS_HUMAN_INTERVENTION sends and records it and moves the instance to ACTIVE.',

  // Persistence
  'AC-9.1': 'After a graceful restart all instances, transcripts and configuration are there, with nothing lost.',
  'AC-9.2': 'After a restart the timers of instances in WAITING_FOR_REPLY or HEARTBEAT_SCHEDULED are there again.',

  // Commands
  '003-CLI-INIT': '`relay init` configures the model key and starts linking.',
  '003-CLI-START': '`relay start` starts the daemon.',
  '003-CLI-STOP': '`relay stop` stops the daemon.',
  '003-CLI-STATUS': '`relay status` shows the state of daemon and connection.',
  '003-CLI-CREATE': '`relay create --objective … --contact … --todos …` creates an instance, with optional heartbeat settings.',
  '003-CLI-LIST': '`relay list` lists instances.',
  '003-CLI-GET': '`relay get <id>` shows one instance.',
  '003-CLI-TRANSCRIPT': '`relay transcript <id>` shows its messages.',
  '003-CLI-CANCEL': '`relay cancel <id>` cancels it.',
  '003-CLI-PAUSE': '`relay pause <id>` pauses it.',
  '003-CLI-RESUME': '`relay resume <id>` resumes it.',
  '003-CLI-SEND': '`relay send <id> <message>` sends a message by hand.',
  '003-CLI-JSON': '`--json` is a global option: every command can answer in JSON.',
  '003-CLI-VALIDATES': 'The command checks required arguments before it sends a request.',
  '003-CLI-STDERR': 'An error of the daemon reaches the person as its message on stderr, with a failing exit code.',
  '003-CLI-NO-STORAGE': 'The command never writes to storage: every change goes through the API.',

  // Routes
  '003-API-INIT': '`POST /api/init` takes `{ model_api_key, model_provider }` and answers `{ whatsapp_qr_displayed }`.',
  '003-API-STATUS': '`GET /api/status` answers DaemonStatusResponse.',
  '003-API-CREATE': '`POST /api/instances` takes CreateInstanceRequest and answers 201 with CreateInstanceResponse.',
  '003-API-LIST': '`GET /api/instances` answers ConversationInstance[].',
  '003-API-GET': '`GET /api/instances/:id` answers ConversationInstance.',
  '003-API-TRANSCRIPT': '`GET /api/instances/:id/transcript` answers TranscriptMessage[].',
  '003-API-CANCEL': '`POST /api/instances/:id/cancel` answers the ConversationInstance.',
  '003-API-PAUSE': '`POST /api/instances/:id/pause` answers the ConversationInstance.',
  '003-API-RESUME': '`POST /api/instances/:id/resume` answers the ConversationInstance.',
  '003-API-SEND': '`POST /api/instances/:id/send` takes `{ message }` and answers the TranscriptMessage.',
  '003-API-400': 'A request with missing or invalid fields is answered with 400.',
  '003-API-404': 'An unknown instance is answered with 404.',
  '003-API-409': 'An operation that the state does not allow is answered with 409.',
  '003-API-500': 'A fault inside is answered with 500 and no internals.',
  '003-API-JSON': 'Every response is application/json; an error is `{ error, details? }` with a descriptive sentence.',

  // Data contracts
  '003-DATA-STATES': 'There are eleven states: CREATED, QUEUED, ACTIVE, WAITING_FOR_REPLY, WAITING_FOR_AGENT, HEARTBEAT_SCHEDULED, PAUSED, NEEDS_HUMAN_INTERVENTION, COMPLETED, ABANDONED, FAILED.',
  '003-DATA-TODO': 'A todo is `{ id, text, status }`, status one of pending, in_progress, completed, skipped.',
  '003-DATA-HEARTBEAT': 'HeartbeatConfig is `{ interval_ms, max_followups }`; the defaults are 86,400,000 (24 hours) and 3; a partial one is merged with them.',
  '003-DATA-INSTANCE': 'ConversationInstance has id (UUID v4), objective, target_contact, todos, state, previous_state, heartbeat_config, follow_up_count, failure_reason, created_at, updated_at.',
  '003-DATA-MESSAGE': 'TranscriptMessage is `{ id, instance_id, role, content, timestamp }`, role one of agent, contact, system, manual.',
  '003-DATA-TRANSITION': 'Each transition is kept: instance_id, from_state, to_state, trigger, timestamp.',
  '003-DATA-CONFIG': 'The configuration has model_api_key, model_provider, whatsapp_connected and daemon_port (default 3214).',
  '003-DATA-CREATE': 'CreateInstanceRequest is `{ objective, target_contact, todos: [{ text }], heartbeat_config? }`; the response is `{ id, state }`.',
  '003-DATA-STATUS': 'DaemonStatusResponse has pid, uptime_seconds, whatsapp_connected, active_instance_count, total_instance_count.',
  '003-DATA-CONTACT': 'target_contact is a phone number in international format, in one spelling however it was typed; it becomes an address of WhatsApp at the adapter only.',
  '003-FIRST-REGISTERED': 'Before a first message WhatsApp is asked whether the number is registered: one that is not is refused, or while WhatsApp is out of reach stopped before the message leaves.',
  '003-FIRST-QUEUED': 'Beyond the daily limit of first contacts a conversation is created all the same, and its first message is queued until there is room; its reason and transcript say from when on.',
  '003-DATA-CONTENT': 'Message text is stored and shown as it is.',

  // Transition table
  '003-T-CREATED-agent_sends_first_message': 'CREATED → ACTIVE: the session is made and the first message sent.',
  '003-T-CREATED-contact_has_active_instance': 'CREATED → QUEUED: it joins the queue of its contact.',
  '003-T-CREATED-pause': 'CREATED → PAUSED, previous_state CREATED.',
  '003-T-CREATED-cancel': 'CREATED → FAILED, "cancelled".',
  '003-T-QUEUED-prior_instance_terminal': 'QUEUED → CREATED: it leaves the queue and begins.',
  '003-T-QUEUED-pause': 'QUEUED → PAUSED, previous_state QUEUED.',
  '003-T-QUEUED-cancel': 'QUEUED → FAILED, "cancelled", out of the queue.',
  '003-T-ACTIVE-message_sent': 'ACTIVE → WAITING_FOR_REPLY: the heartbeat timer is set.',
  '003-T-ACTIVE-end_conversation': 'ACTIVE → COMPLETED: the session is cleaned up and the queue checked.',
  '003-T-ACTIVE-request_intervention': 'ACTIVE → NEEDS_HUMAN_INTERVENTION: the agent stops.',
  '003-T-ACTIVE-unrecoverable_error': 'ACTIVE → FAILED: the error is logged and the session cleaned up.',
  '003-T-ACTIVE-pause': 'ACTIVE → PAUSED, previous_state ACTIVE, timers suspended.',
  '003-T-ACTIVE-cancel': 'ACTIVE → FAILED, "cancelled".',
  '003-T-WAITING_FOR_REPLY-contact_replies': 'WAITING_FOR_REPLY → WAITING_FOR_AGENT: the timer is cancelled.',
  '003-T-WAITING_FOR_REPLY-heartbeat_fires': 'WAITING_FOR_REPLY → HEARTBEAT_SCHEDULED.',
  '003-T-WAITING_FOR_REPLY-end_conversation': 'WAITING_FOR_REPLY → COMPLETED: the session is cleaned up and the queue checked.',
  '003-T-WAITING_FOR_REPLY-pause': 'WAITING_FOR_REPLY → PAUSED, previous_state WAITING_FOR_REPLY, timer cancelled.',
  '003-T-WAITING_FOR_REPLY-cancel': 'WAITING_FOR_REPLY → FAILED, "cancelled", timer cancelled.',
  '003-T-WAITING_FOR_AGENT-agent_processes_reply': 'WAITING_FOR_AGENT → ACTIVE: the agent decides what comes next.',
  '003-T-WAITING_FOR_AGENT-end_conversation': 'WAITING_FOR_AGENT → COMPLETED: the session is cleaned up and the queue checked.',
  '003-T-WAITING_FOR_AGENT-pause': 'WAITING_FOR_AGENT → PAUSED, previous_state WAITING_FOR_AGENT.',
  '003-T-WAITING_FOR_AGENT-cancel': 'WAITING_FOR_AGENT → FAILED, "cancelled".',
  '003-T-HEARTBEAT_SCHEDULED-followup_sent': 'HEARTBEAT_SCHEDULED → WAITING_FOR_REPLY: follow_up_count grows by one and the next timer is set.',
  '003-T-HEARTBEAT_SCHEDULED-max_followups_exceeded': 'HEARTBEAT_SCHEDULED → ABANDONED: the session is cleaned up and the queue checked.',
  '003-T-HEARTBEAT_SCHEDULED-pause': 'HEARTBEAT_SCHEDULED → PAUSED, previous_state HEARTBEAT_SCHEDULED, timer cancelled.',
  '003-T-HEARTBEAT_SCHEDULED-cancel': 'HEARTBEAT_SCHEDULED → FAILED, "cancelled", timer cancelled.',
  '003-T-PAUSED-resume': 'PAUSED → previous_state: timers run again with what was left of them.',
  '003-T-PAUSED-cancel': 'PAUSED → FAILED, "cancelled".',
  '003-T-NEEDS_HUMAN_INTERVENTION-resume': 'NEEDS_HUMAN_INTERVENTION → ACTIVE: the agent goes on.',
  '003-T-NEEDS_HUMAN_INTERVENTION-manual_send': 'NEEDS_HUMAN_INTERVENTION → ACTIVE: the message is sent and the agent goes on.',
  '003-T-NEEDS_HUMAN_INTERVENTION-pause': 'NEEDS_HUMAN_INTERVENTION → PAUSED, previous_state NEEDS_HUMAN_INTERVENTION.',
  '003-T-NEEDS_HUMAN_INTERVENTION-cancel': 'NEEDS_HUMAN_INTERVENTION → FAILED, "cancelled".',

  // Gaps of the table, as settled here
  '003-OPEN-APPEND': 'A message of the contact is appended to the transcript in every non-terminal state and counts as unread for the agent.',
  '003-OPEN-REPLY-IN-FOLLOW-UP': '`contact_replies` also moves HEARTBEAT_SCHEDULED → WAITING_FOR_AGENT, and the follow-up being written is not sent.',
  '003-OPEN-REPLY-ELSEWHERE': '`contact_replies` changes no state in CREATED, ACTIVE, WAITING_FOR_AGENT, PAUSED and NEEDS_HUMAN_INTERVENTION.',
  '003-OPEN-REPLY-LATER': 'An instance that enters WAITING_FOR_REPLY with unread messages takes `contact_replies` at once.',
  '003-OPEN-AGENT-ERROR': 'An agent error is retried once, then `request_intervention` fires from ACTIVE, WAITING_FOR_AGENT or HEARTBEAT_SCHEDULED.',
  '003-OPEN-UNRECOVERABLE': '`unrecoverable_error` leads to FAILED from every state that is neither terminal nor PAUSED.',
  '003-OPEN-END-IN-FOLLOW-UP': '`end_conversation` is legal from HEARTBEAT_SCHEDULED too.',
  '003-OPEN-MANUAL-SEND': '`manual_send` is legal without a transition in ACTIVE, WAITING_FOR_REPLY, WAITING_FOR_AGENT, HEARTBEAT_SCHEDULED and PAUSED, and restarts the heartbeat.',
  '003-OPEN-TIMER-LEFT': 'PAUSED keeps how much of the timer was left.',
  '003-OPEN-RESUME-QUEUED': 'Resuming a paused QUEUED instance whose turn has come leads to CREATED.',
  '003-OPEN-TAKEOVER': 'The owner typing to the contact on the phone pauses the instance (`owner_takeover`), visibly; it is resumed by command.',
  '003-OPEN-ONE-TRANSACTION': 'A transition is one transaction: row locked, state and log saved, intents submitted, jobs enqueued; no model call inside.',
  '003-OPEN-STALE-TIMER': 'A timer carries the epoch of its instance; a stale one is discarded.',
  '003-OPEN-CONTEXT': 'The agent sees objective, todos, unread messages, a sliding window of the transcript by tokens and a rolling summary of the rest.',
  '003-OPEN-REBUILD': 'After a restart a session is rebuilt from that context alone.',
  '003-OPEN-GRANT': 'Creating an instance permits reading and answering its contact inside it until it ends, and never changes the standing grant.',

  // Invariants
  '003-INV-ONE-ACTIVE': 'At most one instance per contact is neither terminal nor QUEUED.',
  '003-INV-TERMINAL': 'COMPLETED, ABANDONED and FAILED have no way out, except for a late reply of the contact.',
  '003-INV-PAUSED': 'Every PAUSED instance has a previous_state.',
  '003-INV-FOLLOW-UPS': 'follow_up_count never exceeds max_followups + 1.',
  '003-INV-PERSIST-FIRST': 'Every transition is durable before its side effects run.',
  '003-INV-TRANSCRIPT': 'The transcript is append-only: no message is changed or deleted.',
  '003-INV-ONE-STATE': 'No instance is in two states at once.',
  '003-INV-STATE-MACHINE': 'Every change of state goes through the state machine.',
  '003-INV-FIFO': 'The queue of a contact is first in, first out.',

  // Flows and boundaries
  '003-FLOW-AUTO-ACTIVATE': 'A CREATED instance starts by itself: session, first message, WAITING_FOR_REPLY, timer.',
  '003-FLOW-NO-INSTANCE': 'A message from someone without an active instance is logged and ignored by this flow.',
  '003-FLOW-REPLY': 'A reply is appended, cancels the timer, reaches the agent, is answered, and a new timer is set.',
  '003-FLOW-SERIAL': 'Events on one instance are handled one after another; a reply and a heartbeat never race.',
  '003-BOUND-SEND': 'A send that certainly did not go out is tried 3 times with exponential backoff, then the instance is FAILED; one that may have gone out is reconciled, never blindly resent.',
  '003-BOUND-AGENT': 'Tool calls of one agent turn run one after another.',
  '003-BOUND-TIMER': 'A timer that finds its instance in another state is discarded with a warning.',

  // Error table
  '003-ERR-NOT-RUNNING': 'Connection refused: "Daemon not running. Run `relay start` first." on stderr.',
  '003-ERR-TRANSITION': 'Invalid transition: 409 with the current state and the attempted event.',
  '003-ERR-NOT-FOUND': 'Unknown instance: 404.',
  '003-ERR-DISCONNECTED': 'WhatsApp disconnected: reconnect after 1, 2, 4, 8, 16 and at most 30 s where the policy of the close code says so; waiting instances keep waiting.',
  '003-ERR-RECONNECT': 'Five failed reconnects: a critical log line and whatsapp_connected false; `relay init` links again.',
  '003-ERR-AGENT': 'Agent session error: NEEDS_HUMAN_INTERVENTION, logged with context; `relay resume` or `relay send` goes on.',
  '003-ERR-STORAGE': 'A failed write rolls the transition back whole: the former state holds, nothing is sent, and the work is retried.',
  '003-ERR-STALE-PID': '`relay start` removes the PID file of a dead process and starts.',
  '003-ERR-PORT': 'Port 3214 in use: an error that names the port and the way out.',

  // Logging
  '003-LOG-PINO': 'The log is structured JSON by pino, in `relay.log` in the home.',
  '003-LOG-LEVEL': '`RELAY_LOG_LEVEL` sets the level; the default is info.',
  '003-LOG-LEVELS': 'error: unrecoverable; warn: refused transitions, discarded timers, stale PID; info: transitions, start, stop; debug: messages, tool calls, timers.',

  // Non-functional
  '003-NFR-START': 'The daemon is ready in under 5 s.',
  '003-NFR-SEND': 'A message is on its way in under 3 s, the pacing aside.',
  '003-NFR-CLI': 'A command answers in under 1 s.',
  '003-NFR-HEARTBEAT': 'Heartbeats fire within 30 s of their time.',
  '003-NFR-RECONNECT': 'Transient disconnections of WhatsApp are survived.',
  '003-NFR-NO-LOSS': 'A graceful stop loses nothing.',
  '003-NFR-TEN': 'Ten concurrent instances run without degradation.',
  '003-NFR-ESM': 'ESM only, TypeScript strict.',

  // Security and extensibility
  '003-SEC-LOOPBACK': 'The HTTP server listens on 127.0.0.1 only.',
  '003-SEC-SANDBOX': 'A conversation session has the conversation tools only: no file, no shell, no code.',
  '003-SEC-FILES': 'The home is 0700 and the files in it 0600: the owner alone reads session and keys.',
  '003-SEC-LOGS': 'No key in the log; message text at debug only.',
  '003-SEC-INPUT': 'Every argument and every body is validated before it is used.',
  '003-EXT-PORT': '`daemon_port` changes the port.',
  '003-EXT-WHATSAPP': 'WhatsApp is behind a port: another transport can take its place.',
  '003-EXT-AGENT': 'The agent runtime is behind a port named `createAgentSession`.',
};
