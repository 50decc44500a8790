// Asks the daemon how it is, again and again while the page is looked at. The session cookie speaks
// for the owner; whatever goes wrong becomes one of three things a person can act on.
import type { DaemonStatus } from '@relay/core/api/status';
import { useEffect, useState } from 'react';

export type View =
  | { readonly is: 'loading' }
  | { readonly is: 'signed_out' }
  | { readonly is: 'gone' }
  | { readonly is: 'here'; readonly status: DaemonStatus };

const ASK_EVERY_MS = 5_000;

async function ask(signal: AbortSignal): Promise<View> {
  try {
    const answer = await fetch('/api/status', { credentials: 'same-origin', signal });
    if (answer.status === 401 || answer.status === 403) return { is: 'signed_out' };
    if (!answer.ok) return { is: 'gone' };
    return { is: 'here', status: (await answer.json()) as DaemonStatus };
  } catch {
    return { is: 'gone' };
  }
}

export function useStatus(): View {
  const [view, setView] = useState<View>({ is: 'loading' });
  useEffect(() => {
    const ended = new AbortController();
    const refresh = async () => {
      if (document.hidden) return;
      const next = await ask(ended.signal);
      if (!ended.signal.aborted) setView(next);
    };
    void refresh();
    const timer = setInterval(refresh, ASK_EVERY_MS);
    document.addEventListener('visibilitychange', refresh, { signal: ended.signal });
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, []);
  return view;
}
