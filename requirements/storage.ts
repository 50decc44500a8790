// Requirements of what is stored: how many copies, and for how long.
export const STORAGE = {
  'STORE-LIMIT-ALL':
    'Messages are kept until they are erased; a general limit and a limit for each chat delete older ones with everything stored under them, and the strictest limit applies.',
  'STORE-LIMIT-KEEPS': 'A limit leaves transcripts, open conversations and the ledger as they are.',
  'STORE-ONE-COPY':
    'A received text is stored once: its inbox row goes when the message is stored, and the journal has no copy of it.',
};
