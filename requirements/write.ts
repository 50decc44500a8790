// Requirements of writing as the owner: the composer, quotes, drafts and suggestions.
export const WRITE = {
  'WRITE-COMPOSER':
    'The owner writes in every chat, and in a conversation also while it is paused, by keyboard alone, and sees whether the message is queued, sent, delivered, read or failed.',
  'WRITE-QUOTE':
    'A reply quotes a stored message of its chat on WhatsApp; the permit covers what is quoted.',
  'WRITE-LATER': 'A message can be scheduled in the composer and cancelled until its time.',
  'WRITE-DRAFT':
    'The owner can ask the model for a draft where an agent may read. A draft sends nothing.',
  'WRITE-SUGGEST':
    'Where the owner asked for suggestions, a contact who may only be read gets one that is shown in the chat, asks for no approval and is sent only by the owner.',
} as const;
