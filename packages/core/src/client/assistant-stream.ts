// A question to the assistant and its answer as it comes.
import type { AssistantEvent } from '../api/assistant.ts';
import { answersTo, type PostStream } from './answer-stream.ts';

export const ASSISTANT_STREAM = '/api/assistant/messages';

export const askAssistant = (
  text: string,
  post: PostStream,
  signal: AbortSignal,
): AsyncGenerator<AssistantEvent, void, void> =>
  answersTo<AssistantEvent>({ path: ASSISTANT_STREAM, body: { text } }, post, signal);
