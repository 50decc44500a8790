// Imports one exported chat: uploads the file as it is and reads progress line by line. The typed client sends no
// files, so this calls the route itself with the page's session.
import type { ImportEvent } from '@relay/contract/api/imports';
import { useCallback, useEffect, useRef, useState } from 'react';
import { t } from '../../i18n.ts';

export function useChatImport() {
  const [latest, setLatest] = useState<ImportEvent | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const begin = useCallback(async (file: File, me: string) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setLatest({ type: 'progress', lines: 0, percent: 0 });
    try {
      for await (const event of uploadChat(file, me, controller.signal)) setLatest(event);
    } catch {
      if (controller.signal.aborted) return;
      setLatest({ type: 'failed', error: t('groups.import.interrupted'), code: 'away' });
    }
  }, []);
  return { latest, begin };
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
    yield* readImportEvents(answer.body);
  }
}

// Reads the progress events of an import: one JSON object per line, in chunks of any size. Pure apart from the stream.

export async function* readImportEvents(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<ImportEvent> {
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
