// Streams the answer to a POST request. The caller provides the transport; aborting its signal stops the work in the
// daemon. Exactly one `done` or `error` ends the stream, or it throws.

import { RelayError } from '../errors.ts';
import { readFrames } from './sse.ts';

/** Posts JSON and yields the response's text as it arrives. Rejects if the response is not a stream. */
export type PostStream = (
  path: string,
  body: string,
  signal: AbortSignal,
) => Promise<AsyncIterable<string>>;

interface StreamRequest {
  readonly path: string;
  readonly body: unknown;
}

export async function* streamAnswer<Event extends { readonly type: string }>(
  { path, body }: StreamRequest,
  post: PostStream,
  signal: AbortSignal,
): AsyncGenerator<Event, void, void> {
  const chunks = await post(path, JSON.stringify(body), signal);
  try {
    for await (const { data } of readFrames(chunks)) {
      const event = data as Event;
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
