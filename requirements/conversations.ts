// Requirements of conversations beyond the specification: decision 0027.
export const CONVERSATIONS = {
  'CONV-FOLLOW-UP-ACKNOWLEDGED':
    'The follow-up clock starts when WhatsApp acknowledges the message, and is suspended while nothing can be sent.',
  'CONV-LATE-REPLY':
    'A reply within 7 days after a conversation was completed or abandoned asks the owner or reopens it; the contact is no stranger.',
  'CONV-ONE-UNSENT':
    'No turn begins while a message of the conversation is unsent, so at most one turn of the agent is.',
  'CONV-WITHDRAWN':
    'What is queued is withdrawn when the contact writes, the conversation ends or the owner takes it over, and the transcript says so, to the agent too.',
} as const;
