// What the chats ask of the daemon: the list page by page, one chat, and its messages from any place in them.
import type { ChatMessage } from '@relay/core/api/chats';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { key } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import type { Line, Page } from '../../parts/transcript/line.ts';
import type { Source } from '../../parts/transcript/use-window.ts';
import { PAGE_LINES } from '../../parts/transcript/window.ts';

const LISTED = 50;

export const chatsQuery = (q: string) =>
  infiniteQueryOptions({
    queryKey: key('messages', 'chats', q),
    queryFn: ({ signal, pageParam }) =>
      relay.get('/api/chats', {
        signal,
        query: {
          limit: LISTED,
          ...(q === '' ? {} : { q }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
  });

export const chatQuery = (id: string) =>
  queryOptions({
    queryKey: key('contacts', 'chat', id),
    queryFn: ({ signal }) => relay.get('/api/chats/{id}', { path: { id }, signal }),
  });

export function chatSource(
  id: string,
  message: string | undefined,
  toLine: (message: ChatMessage) => Line,
): Source {
  const ask = async (query: object, signal?: AbortSignal): Promise<Page> => {
    const of = { path: { id }, query: { limit: PAGE_LINES, ...query } };
    const { messages, ...page } = await relay.get(
      '/api/chats/{id}/messages',
      signal ? { ...of, signal } : of,
    );
    return { ...page, lines: messages.map(toLine) };
  };
  return {
    key: key('messages', 'chat', id),
    newest: (signal) => ask({}, signal),
    older: ({ key: before }) => ask({ before }),
    newer: ({ key: after }) => ask({ after }),
    around: message === undefined ? undefined : (signal) => ask({ message }, signal),
  };
}
