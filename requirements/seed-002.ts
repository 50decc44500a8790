// Requirements of seed 002, the MCP server: three tools with their schemas, error codes, settings and recovery.

export const SEED_002: Readonly<Record<string, string>> = {
  '002-SERVER-NAME': 'The server calls itself `whatsapp-mcp`.',
  '002-STDIO': 'It speaks JSON-RPC 2.0 over stdin and stdout (`relay mcp`).',
  '002-CALL': 'Tools are called by `tools/call` with `name` and `arguments`.',
  '002-TESTABLE': 'A single JSON-RPC line piped into the server is answered by a single line.',

  // authenticate_qr
  '002-AUTH-INPUT': '`authenticate_qr` takes an object without properties.',
  '002-AUTH-OUTPUT': 'It answers `{ qr_code_base64, status }`: a base64 PNG and `waiting` or `authenticated`.',
  '002-AUTH-WAITING': 'Before the scan it answers `waiting` with the QR code.',
  '002-AUTH-AUTHENTICATED': 'With a linked account it answers `authenticated`.',
  '002-AUTH-ERR-32000': '-32000 `SESSION_PATH_INVALID`: the place where the session is kept cannot be written.',
  '002-AUTH-ERR-32001': '-32001 `BROWSER_LAUNCH_FAILED`: the transport to WhatsApp could not be started.',

  // send_message
  '002-SEND-INPUT': '`send_message` takes `chat_id` (contact name or chat id) and `message`, both required.',
  '002-SEND-MAX': 'A message longer than 5,000 characters is refused.',
  '002-SEND-OUTPUT': 'It answers `{ message_id, sent_at }`, `sent_at` as date-time.',
  '002-SEND-ID': '`message_id` is the id the message is known by in the outbox.',
  '002-SEND-NAME': 'A contact name finds its chat; a name that fits several is asked back.',
  '002-SEND-GATE': 'It passes the same gate and grants as everything else that sends.',
  '002-SEND-ERR-32000': '-32000 `SESSION_EXPIRED`: the session has ended, link again by QR.',
  '002-SEND-ERR-32001': '-32001 `CHAT_NOT_FOUND`: no such contact or chat.',
  '002-SEND-ERR-32002': '-32002 `NETWORK_ERROR`: the connection failed.',
  '002-SEND-ERR-32003': '-32003 `ELEMENT_NOT_FOUND`: WhatsApp no longer speaks as expected; an update is needed.',

  // get_chats
  '002-CHATS-INPUT': '`get_chats` takes `unread_only`, true by default.',
  '002-CHATS-OUTPUT': 'It answers `{ chats: [{ id, name, last_message, unread_count }] }`.',
  '002-CHATS-CUT': '`last_message` has at most 100 characters.',
  '002-CHATS-SCOPE': 'It lists only chats that the caller may read.',

  // Settings and session
  '002-ENV-SESSION-PATH': '`WHATSAPP_SESSION_PATH` is understood as the place of the session.',
  '002-ENV-POLL-INTERVAL': '`WHATSAPP_POLL_INTERVAL` (seconds, 30) is understood as the interval at which a polling reader looks.',
  '002-SESSION-PERSISTS': 'One scan serves for weeks: the session is kept and used by later runs.',
  '002-SESSION-EXPIRY': 'An ended session is noticed and reported as such, not as another fault.',

  // Recovery
  '002-RETRY-NETWORK': 'A network time-out is retried 3 times, after 5, 10 and 20 s.',
  '002-RETRY-LOGGED-OUT': 'An unexpected answer is first checked for a log-out; if there was none, a person is told.',
  '002-CONFIRM-SENT': 'A send is confirmed only when WhatsApp has acknowledged the message.',

  // Security
  '002-SEC-SESSION': 'Session data is kept where only its owner reads it, outside version control.',
  '002-SEC-LOG-50': 'Message text in a log is cut to its first 50 characters.',
  '002-SEC-HEADLESS': 'Sending needs no display; only linking shows something.',
};
