// The eleven states of a delegated conversation. The names are persisted and part of the API:
// never rename one. Each has a sentence that says whose turn it is.

export const STATES = {
  CREATED: 'The agent is about to write the first message.',
  QUEUED: 'Another conversation with this contact comes first.',
  ACTIVE: 'The agent is working on its next message.',
  WAITING_FOR_REPLY: 'The contact has been written to and has not answered yet.',
  WAITING_FOR_AGENT: 'The contact has answered; the agent will read it next.',
  HEARTBEAT_SCHEDULED: 'No answer came in time; the agent is writing a follow-up.',
  PAUSED: 'Paused; nothing is sent until you resume it.',
  NEEDS_HUMAN_INTERVENTION: 'It waits for you: resume it or send a message yourself.',
  COMPLETED: 'The objective was met.',
  ABANDONED: 'The contact did not answer the last follow-up.',
  FAILED: 'It ended without reaching the objective.',
} as const;

/** In place of the state's sentence while a message of the conversation is unsent. */
export const UNSENT: Readonly<Partial<Record<keyof typeof STATES, string>>> = {
  WAITING_FOR_REPLY:
    'The message is queued and has not been sent yet. The follow-up clock starts when WhatsApp takes it.',
  ACTIVE:
    'A message is queued and has not been sent yet. The agent goes on when WhatsApp takes it.',
  WAITING_FOR_AGENT:
    'The contact has answered; the agent reads it once the queued message is sent.',
};

/** In place of the state's sentence while follow-up clocks are suspended. */
export const FOLLOW_UP_SUSPENDED =
  'The contact has not answered yet. No follow-up is due while messages cannot be sent.';

export type InstanceState = keyof typeof STATES;
export type TerminalState = 'COMPLETED' | 'ABANDONED' | 'FAILED';
export type NonTerminalState = Exclude<InstanceState, TerminalState>;

export const INSTANCE_STATES = Object.keys(STATES) as InstanceState[];

export function isTerminal(state: InstanceState): state is TerminalState {
  return state === 'COMPLETED' || state === 'ABANDONED' || state === 'FAILED';
}
