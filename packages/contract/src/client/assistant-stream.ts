// Streams the assistant's answer to a question. Separate from answer-stream.ts because the types of the published
// client depend on no other package.
import type { AssistantEvent } from '../api/assistant.ts';
import { type PostStream, streamAnswer } from './answer-stream.ts';

export const ASSISTANT_STREAM = '/api/assistant/messages';

/** With `background` the answer is completed also if the signal aborts or the caller goes away. */
export const askAssistant = (
  text: string,
  post: PostStream,
  signal: AbortSignal,
  { background = false }: { readonly background?: boolean } = {},
): AsyncGenerator<AssistantEvent, void, void> =>
  streamAnswer<AssistantEvent>(
    { path: ASSISTANT_STREAM, body: { text, ...(background ? { background } : {}) } },
    post,
    signal,
  );
