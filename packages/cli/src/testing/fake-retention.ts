// Responses of the fake daemon about retention and erasure.
const AT = '2026-11-15T04:17:00.000Z';
const RUN = { at: AT, cause: 'owner', messages: 2, digests: 1, scoured: true, ms: 5 };
const COUNTS = {
  messages: 3,
  sent: 0,
  conversations: 0,
  session_lines: 0,
  schedules: 0,
  approvals: 0,
  grants: 1,
  digests: 0,
  assistant_answers: 0,
  tool_calls: 0,
};
const ANA = {
  id: 'c0ffee00-0000-4000-8000-0000000000aa',
  kind: 'person',
  name: 'Ana',
  phone_number: '491701234567',
  lid: null,
  jid: '491701234567@s.whatsapp.net',
  grant: null,
  last_message_at: null,
  resting_until: null,
  knocks: null,
};

export const RETENTION_ANSWERS: Readonly<Record<string, () => unknown>> = {
  'GET /api/contacts': () => ({ contacts: [ANA], meant: ANA.id, number: null }),
  'GET /api/retention': () => ({
    now: AT,
    limits: { messages_days: 0, observed_messages_days: 30, digests_days: 28 },
    chats: [],
    groups: [],
    runs: [RUN],
    next_run_at: AT,
    others: [],
  }),
  'PATCH /api/retention/chats': () => ({
    chat_id: ANA.id,
    contact_id: ANA.id,
    name: 'Ana',
    days: 90,
    messages: 3,
    oldest_message_at: AT,
  }),
  'POST /api/retention/run': () => RUN,
  'GET /api/forget': () => ({
    id: ANA.id,
    kind: 'person',
    name: 'Ana',
    counts: COUNTS,
    open_conversations: 0,
  }),
  'POST /api/forget': () => ({
    kind: 'person',
    erased: COUNTS,
    outside_lines: 0,
    scoured: 'all',
    ms: 5,
    stays: ['WhatsApp keeps its own.'],
  }),
};
