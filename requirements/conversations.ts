// Requirements of conversations beyond the specification: decision 0027.
export const CONVERSATIONS = {
  'CONV-FOLLOW-UP-ACKNOWLEDGED':
    'The follow-up clock starts when WhatsApp acknowledges the message, and is suspended while nothing can be sent.',
  'CONV-LATE-REPLY':
    'A reply within 7 days after a conversation was completed or abandoned asks the owner or reopens it; the contact is no stranger.',
  'CONV-ONE-UNSENT':
    'No turn begins while a message of the conversation is unsent, so at most one turn of the agent is.',
  'CONV-RESULT-ONCE':
    'The result of a conversation is written once, in the statement that ends it; another end than the agent’s writes why there is none.',
  'CONV-RESULT-SCHEMA':
    'A result schema outside the supported subset is refused at creation, with the place and the reason.',
  'CONV-RESULT-TAINT':
    'Reading a result counts as reading what the contact wrote: for the assistant, for clients and in webhooks.',
  'CONV-RESULT-VALID':
    'A result is returned only if it matches its schema; a value that does not is refused to the agent three times at most.',
  'CONV-WITHDRAWN':
    'What is queued is withdrawn when the contact writes, the conversation ends or the owner takes it over, and the transcript says so, to the agent too.',
} as const;
