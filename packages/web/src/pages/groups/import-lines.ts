// The news of an import: JSON, a line each, cut anywhere by the wire. Pure but for the stream it reads.
import type { ImportNews } from '@relay/core/api/imports';

export async function* importNews(stream: ReadableStream<Uint8Array>): AsyncGenerator<ImportNews> {
  let rest = '';
  const reader = stream
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .getReader();
  for (;;) {
    const { value, done } = await reader.read();
    const lines = (rest + (value ?? '')).split('\n');
    rest = done ? '' : (lines.pop() ?? '');
    for (const line of lines) if (line !== '') yield JSON.parse(line) as ImportNews;
    if (done) return;
  }
}
