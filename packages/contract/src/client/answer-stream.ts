// Something asked of the daemon that it answers as it goes. The wire is brought by the caller; aborting its
// signal stops the work at the daemon. Exactly one `done` or `error` ends it, or it throws.

import { RelayError } from '../errors.ts';
import { readFrames } from './sse.ts';

/** Posts JSON and gives the answer's text as it arrives. Rejects when the answer is no stream. */
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
