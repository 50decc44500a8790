// What the scripted model sees in a picture and hears in a recording: the words that a test or the demo put into the
// file. Invariant: a file without words shows and says nothing.
import { z } from 'zod';

const WORDS = /relay-words:([a-z-]{2,8}):([A-Za-z0-9+/=]*);/;

interface HiddenWords {
  readonly text: string;
  /** As in BCP 47. */
  readonly language: string;
}

/** Words for a file: in a comment of a picture or a recording, or appended to one. */
export const wordsInFile = (text: string, language = 'en'): Buffer =>
  Buffer.from(`relay-words:${language}:${Buffer.from(text).toString('base64')};`);

/** Null if there are none. */
function findWords(file: string): HiddenWords | null {
  const [, language = '', words] = WORDS.exec(file) ?? [];
  return words === undefined ? null : { text: Buffer.from(words, 'base64').toString(), language };
}

/** The words in a picture of a request, which is a data URL. */
export function textInPicture(url: string): string {
  const at = url.indexOf(';base64,');
  if (!url.startsWith('data:') || at === -1) return '';
  return findWords(Buffer.from(url.slice(at + 8), 'base64').toString('latin1'))?.text ?? '';
}

/** How transcription answers from now on; by default with the words in the recording. */
export const TranscriptionFault = z.strictObject({
  status: z.number().int().min(400).max(599).optional(),
  delay_ms: z.number().nonnegative().max(600_000).optional(),
});
export type TranscriptionFault = z.infer<typeof TranscriptionFault>;

const NOTHING_HEARD = { text: 'I have nothing in particular to say.', language: 'en' };

/** `body` is the multipart request as text: the words are ASCII and survive that. */
export function transcriptionBody(body: string) {
  const { text, language } = findWords(body) ?? NOTHING_HEARD;
  return { task: 'transcribe', language, duration: 1, text };
}

/** What the log keeps of a request, instead of the recording. */
export const transcriptionRequest = (body: string) => ({
  model: /name="model"\r\n\r\n([^\r]*)/.exec(body)?.[1] ?? null,
  file_name: /filename="([^"]*)"/.exec(body)?.[1] ?? null,
  characters: body.length,
});
