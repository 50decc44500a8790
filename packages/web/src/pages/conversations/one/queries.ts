// What one conversation asks of the daemon: how it stands, how it came there, and its transcript page by page.
import type { TranscriptLine } from '@relay/core/api/instances';
import type { Turn } from '@relay/core/conversation/turns';
import { queryOptions } from '@tanstack/react-query';
import { key } from '../../../data/queries.ts';
import { relay } from '../../../data/relay.ts';
import type { Line, Page } from '../../../parts/transcript/line.ts';
import type { Source } from '../../../parts/transcript/use-window.ts';
import { PAGE_LINES } from '../../../parts/transcript/window.ts';

export const instanceQuery = (id: string) =>
  queryOptions({
    queryKey: key('instances', id),
    queryFn: ({ signal }) => relay.get('/api/instances/{id}', { path: { id }, signal }),
  });

export const transitionsQuery = (id: string) =>
  queryOptions({
    queryKey: key('instances', id, 'transitions'),
    queryFn: ({ signal }) => relay.get('/api/instances/{id}/transitions', { path: { id }, signal }),
  });

const RAIL = 12;

/** The latest of one turn. */
export const railQuery = (turn: Turn) =>
  queryOptions({
    queryKey: key('instances', 'rail', turn),
    queryFn: ({ signal }) =>
      relay.get('/api/instances', { signal, query: { turn, limit: RAIL, order: 'changed' } }),
  });

export function transcriptSource(id: string, toLine: (line: TranscriptLine) => Line): Source {
  const ask = async (query: object, signal?: AbortSignal) => {
    const of = { path: { id }, query: { limit: PAGE_LINES, ...query } };
    const lines = await relay.get(
      '/api/instances/{id}/transcript',
      signal ? { ...of, signal } : of,
    );
    return lines.map(toLine);
  };
  const page = (lines: readonly Line[], at: Partial<Page>): Page => ({
    lines,
    older: lines.length === PAGE_LINES,
    newer: false,
    ...at,
  });
  return {
    key: key('instances', id, 'transcript'),
    newest: async (signal) => page(await ask({}, signal), {}),
    older: async ({ key: before }) => page(await ask({ before }), { newer: true }),
    async newer({ key: after }) {
      const lines = await ask({ after });
      return page(lines, { older: true, newer: lines.length === PAGE_LINES });
    },
  };
}
