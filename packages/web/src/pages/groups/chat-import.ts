// Imports one exported chat: uploads the file as it is and reads progress line by line. The typed client sends no
// files, so this calls the route itself with the page's session.
import type { ImportEvent } from '@relay/contract/api/imports';
import { useCallback, useEffect, useRef, useState } from 'react';

const UPLOAD_BROKEN = 'The file did not arrive whole. Choose it again; nothing comes in twice.';

export function useChatImport() {
  const [news, setNews] = useState<ImportEvent | null>(null);
  const ending = useRef<AbortController | null>(null);
  useEffect(() => () => ending.current?.abort(), []);
  const begin = useCallback(async (file: File, me: string) => {
    ending.current?.abort();
    const mine = new AbortController();
    ending.current = mine;
    setNews({ type: 'progress', lines: 0, percent: 0 });
    try {
      for await (const one of uploadChat(file, me, mine.signal)) setNews(one);
    } catch {
      if (!mine.signal.aborted) setNews({ type: 'failed', error: UPLOAD_BROKEN, code: 'away' });
    }
  }, []);
  return { news, begin };
}

async function* uploadChat(
  file: File,
  me: string,
  signal: AbortSignal,
): AsyncGenerator<ImportEvent> {
  const query = new URLSearchParams({ file: file.name, ...(me === '' ? {} : { me }) });
  const answer = await fetch(`/api/memory/imports?${query}`, {
    method: 'POST',
    body: file,
    headers: { 'content-type': 'application/octet-stream' },
    signal,
  });
  if (!answer.ok || answer.body === null) {
    const { error, code } = (await answer.json()) as { error: string; code: string };
    yield { type: 'failed', error, code };
  } else {
    yield* importNews(answer.body);
  }
}

// Reads the progress events of an import: one JSON object per line, in chunks of any size. Pure apart from the stream.

export async function* importNews(stream: ReadableStream<Uint8Array>): AsyncGenerator<ImportEvent> {
  let rest = '';
  const reader = stream
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .getReader();
  for (;;) {
    const { value, done } = await reader.read();
    const lines = (rest + (value ?? '')).split('\n');
    rest = done ? '' : (lines.pop() ?? '');
    for (const line of lines) if (line !== '') yield JSON.parse(line) as ImportEvent;
    if (done) return;
  }
}
