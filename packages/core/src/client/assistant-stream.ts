// A question to the assistant and its answer as it comes. The wire is brought by the caller; aborting its
// signal stops the turn at the daemon. Exactly one `done` or `error` ends it, or it throws.
import type { AssistantEvent } from '../api/assistant.ts';
import { RelayError } from '../errors.ts';
import { readFrames } from './frames.ts';

export const ASSISTANT_STREAM = '/api/assistant/messages';

/** Posts JSON and gives the answer's text as it arrives. Rejects when the answer is no stream. */
export type PostStream = (
  path: string,
  body: string,
  signal: AbortSignal,
) => Promise<AsyncIterable<string>>;

export async function* askAssistant(
  text: string,
  post: PostStream,
  signal: AbortSignal,
): AsyncGenerator<AssistantEvent, void, void> {
  const chunks = await post(ASSISTANT_STREAM, JSON.stringify({ text }), signal);
  try {
    for await (const { data } of readFrames(chunks)) {
      const event = data as AssistantEvent;
      yield event;
      if (event.type === 'done' || event.type === 'error') return;
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw new RelayError('answer_broke_off', {}, { cause });
  }
  signal.throwIfAborted();
  throw new RelayError('answer_broke_off');
}
