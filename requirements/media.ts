// Requirements of media: photos, voice messages, videos, documents and stickers.
export const MEDIA = {
  'MEDIA-IN-KINDS':
    'Images, voice messages, audio, video, documents and stickers are downloaded and decrypted, byte for byte as they were sent.',
  'MEDIA-IN-VERIFIED':
    'A file counts only if its MAC, both hashes and its length are what the message says; requests go only to hosts that WhatsApp names.',
  'MEDIA-IN-AGAIN':
    'A file that WhatsApp no longer has is requested from the phone; what cannot be had ends as unavailable, with a reason.',
  'MEDIA-IN-DURABLE':
    'The job of a file is queued in the transaction of its message; a kill at any moment loses and doubles nothing.',
  'MEDIA-IN-GRANT':
    'Nothing is downloaded of chats that no agent may read; a grant fetches the files of the last 7 days.',
  'MEDIA-IN-LIMITS':
    'A file that is larger than allowed, or for which a chat or the store has no room, is not stored, and its row says why.',
  'MEDIA-IN-TYPE':
    'The type of a file is detected from its bytes; what was declared never decides how it is served.',
  'MEDIA-IN-SEALED':
    'Files are stored once by content, sealed with the key of the home; a file that was cut, altered or moved does not open.',
  'MEDIA-SERVED':
    'Media is served by parts, never sniffed, with its own policy, inline only if its type is on a list, and to a client only of chats that it may read.',
  'MEDIA-ON-MESSAGES':
    'A message carries its media in the API of the owner, version 1, MCP, events and webhooks, without the bytes.',
  'MEDIA-ERASED':
    'Media goes with its message: by retention, by erasure and by quota, the files included.',
  'MEDIA-BACKUP': 'A backup contains the files, and a restore into another home opens them.',
  'MEDIA-S3': 'Files may be stored on a server that speaks S3 instead of in the home.',
  'MEDIA-OUT-KINDS':
    'Images, voice messages, audio, video and documents are sent, byte for byte as they are stored; Ogg with Opus is sent as a voice message with its length, other audio as a file.',
  'MEDIA-OUT-TYPED':
    'Reactions, edits, deletions of own messages, polls and locations are sent as what they are, and shown so in the chat.',
  'MEDIA-OUT-BOUND':
    'A permit and an approval cover the hash of the file: another file under the same id, or other content under the same key, is not sent.',
  'MEDIA-OUT-GATE':
    'Nothing but the gate leads to the transport, for every kind of content: each has its permit, its ledger row and its idempotency key.',
  'MEDIA-OUT-ONCE':
    'What is sent is built once, before the first attempt: every attempt, every process and every device that asks again gets the same.',
  'MEDIA-OUT-FORWARD':
    'A file of one chat goes to another only with the owner’s approval, which shows its name, type and size; a client’s upload is that client’s text.',
  'MEDIA-OUT-UPLOAD':
    'POST /api/media stores the bytes as a stream, detects their type and limits their size; a client sees only its own uploads and media of chats that it may read.',
  'MEDIA-OUT-SURFACES':
    'Content can be sent over both versions of the API, MCP, the command, the assistant, conversations and schedules.',
  'MEDIA-TYPED':
    'Locations, contacts, polls, reactions, edits, deletions and view-once messages are typed content, not prose.',
  'MEDIA-SIMULATED':
    'The simulated network stores, serves, loses and damages encrypted files, and its phones send and open every kind of content.',
  'MEDIA-SEEN-CHAT':
    'The console shows the photos of a chat small, and whole on request, with texts for screen readers.',
  'MEDIA-SEEN-VOICE':
    'The console plays recordings without a source for media in its content policy, and shows what a machine heard, marked as such.',
  'MEDIA-SEEN-FILES':
    'The console names every other file with its type and size, shows hidden characters of its name, and only saves it.',
  'MEDIA-SEEN-TYPED':
    'Reactions, edits and deletions are shown with the message they belong to; stickers, polls, places and contacts as what they are.',
  'MEDIA-SEEN-COMPOSER':
    'The composer sends a file that was chosen, pasted or dropped, once, with its caption.',
  'MEDIA-SEEN-APPROVAL':
    'An approval shows the picture, or the name, type and size of the file; it cannot be given before the picture was on screen.',
  'MEDIA-SEEN-CHOICE':
    'The owner chooses for each person whether photos may go to the provider of the model.',
  'MEDIA-SEEN-SAFE':
    'No file that somebody sent runs a script in a browser, neither in the console nor opened by its address.',
  'MEDIA-DEMO':
    'On the phone page of the demo a visitor sends a prepared photo and voice message, and the voice message is answered.',
};
