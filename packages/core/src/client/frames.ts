// Server-Sent Events out of the text of a stream as it arrives, each with its JSON read.
import { createParser } from 'eventsource-parser';

export interface Frame {
  readonly event: string;
  readonly data: unknown;
}

export async function* readFrames(chunks: AsyncIterable<string>): AsyncGenerator<Frame> {
  const waiting: Frame[] = [];
  const parser = createParser({
    onEvent: ({ event = 'message', data }) => waiting.push({ event, data: JSON.parse(data) }),
  });
  for await (const chunk of chunks) {
    parser.feed(chunk);
    yield* waiting.splice(0);
  }
}
