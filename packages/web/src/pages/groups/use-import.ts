// One import: the file goes as it is, and the answer comes in lines. The typed client sends no files, so this asks the
// route itself, as the page that was signed in.
import type { ImportNews } from '@relay/core/api/imports';
import { useCallback, useEffect, useRef, useState } from 'react';
import { importNews } from './import-lines.ts';

const AWAY = 'The file did not arrive whole. Choose it again; nothing comes in twice.';

export function useImport() {
  const [news, setNews] = useState<ImportNews | null>(null);
  const ending = useRef<AbortController | null>(null);
  useEffect(() => () => ending.current?.abort(), []);
  const begin = useCallback(async (file: File, me: string) => {
    ending.current?.abort();
    const mine = new AbortController();
    ending.current = mine;
    setNews({ type: 'progress', lines: 0, percent: 0 });
    try {
      for await (const one of sent(file, me, mine.signal)) setNews(one);
    } catch {
      if (!mine.signal.aborted) setNews({ type: 'failed', error: AWAY, code: 'away' });
    }
  }, []);
  return { news, begin };
}

async function* sent(file: File, me: string, signal: AbortSignal): AsyncGenerator<ImportNews> {
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
