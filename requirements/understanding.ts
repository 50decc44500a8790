// Requirements of understanding media: what agents hear, see and read.
export const UNDERSTANDING = {
  'MEDIA-DOCUMENTS':
    'The text of PDF, Word, text and CSV files is read: its beginning is given to agents, all of it is searchable.',
  'MEDIA-DOCUMENTS-CONTAINED':
    'Documents are read in a process without environment, files, other programs and network, with limits for memory, time and output.',
  'MEDIA-DOCUMENTS-HOSTILE':
    '500 malformed or hostile files crash nothing and never block the event loop for 200 ms.',
  'MEDIA-VOICE':
    'Voice messages are transcribed by the owner’s server or on this machine, with their language, and marked as written by a machine.',
  'MEDIA-VOICE-FAILS':
    'A failure that may pass is tried again; any other leaves the placeholder, and the message is handled without it.',
  'MEDIA-VOICE-COST':
    'Transcription by a provider counts towards the budget of a day; while that is used up, recordings wait for it.',
  'MEDIA-PHOTOS':
    'Photos are shown to models that can see, where an agent answers or the owner says so; to all others they are a placeholder with the caption.',
  'MEDIA-TURN-WAITS':
    'A turn waits up to 30 seconds for the media it is about and then goes on without them.',
  'MEDIA-UNDERSTOOD-ONCE':
    'What was understood is written once, in the transaction that ends its job, whatever is killed.',
  'MEDIA-TAINT':
    'Transcripts, text of documents, file names and pictures are as untrusted as their chat: a run that read them does nothing to others without an approval.',
  'MEDIA-OWNERS-VOICE':
    'A voice message of the owner in their own chat is their words; everything it leads to waits for an approval that shows what was understood.',
  'MEDIA-SEARCH': 'Search finds transcripts and the text of documents and says what they are.',
  'MEDIA-DIGEST': 'Digests use what voice messages and documents say.',
};
