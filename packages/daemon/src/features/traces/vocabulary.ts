// All words that may appear in a trace, from fixed lists. Pure.
// Invariant: any other text is replaced, because a model may call a tool by any name, and a name may contain message
// text.
import { PROVIDER_NAMES } from '@relay/contract/agent/providers';
import { OUTBOX_STATES } from '@relay/contract/outbox/states';
import { ANSWER_REASONS, STOP_REASONS } from '@relay/core/ledger/rows';
import { DECISION_OUTCOMES, REASONS } from '@relay/core/policy/reasons';

/** OpenTelemetry's word for a value that is on no list. */
export const OTHER_WORD = '_OTHER';

const among = (words: Iterable<string>): ((word: string) => string) => {
  const known = new Set(words);
  return (word) => (known.has(word) ? word : OTHER_WORD);
};

export const TRACED_AGENTS = ['conversation', 'auto_reply', 'assistant', 'observer'] as const;
export const TRACED_TOOLS = [
  ...['get_chats', 'whatsapp_read_messages', 'search_messages', 'summarize_chat', 'get_digest'],
  'get_results',
  ...['send_message', 'whatsapp_send_message'],
  ...['schedule_message', 'list_scheduled_tasks', 'cancel_scheduled_task'],
  ...['whatsapp_manage_permission', 'whatsapp_list_permissions'],
  ...['mark_todo_item', 'end_conversation', 'schedule_next_heartbeat', 'place_call'],
  ...['request_human_intervention', 'web_search', 'search_group'],
] as const;
const TRACED_ACTIONS = [
  ...['send_message', 'schedule_message', 'cancel_schedule', 'create_conversation'],
  ...['manage_grant', 'set_hold'],
  ...['answer_approval', 'react', 'mark_read'],
] as const;
/** Names from OpenTelemetry's conventions; the other providers have none there. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([['google', 'gcp.gemini']]);

export const agentWord = among(TRACED_AGENTS);
export const actorWord = among([...TRACED_AGENTS, 'owner', 'scheduler', 'notifier', 'token']);
export const toolWord = among(TRACED_TOOLS);
export const actionWord = among(TRACED_ACTIONS);
export const outcomeWord = among(DECISION_OUTCOMES);
export const reasonWord = among(Object.keys(REASONS));
export const answerWord = among(Object.keys(ANSWER_REASONS));
export const stopWord = among([...Object.keys(STOP_REASONS), ...Object.keys(REASONS), 'failed']);
export const runStateWord = among(['done', 'failed', 'discarded']);
export const outboxStateWord = among(OUTBOX_STATES);
const knownProvider = among(PROVIDER_NAMES);
export const providerWord = (name: string): string => PROVIDERS.get(name) ?? knownProvider(name);

/** Only the owner names models, and the pattern allows no sentences. */
const MODEL_NAME = /^[A-Za-z][\w.:/-]{0,99}$/;
export const modelWord = (name: string): string => (MODEL_NAME.test(name) ? name : OTHER_WORD);

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
/** Null for anything that is not an id of Relay. */
export const uuidWord = (id: string | null): string | null =>
  id !== null && UUID.test(id) ? id : null;
