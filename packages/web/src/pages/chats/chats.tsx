// The chats page: the list, and the open chat beside it.

import { ActionIcon, Button, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { Chat, ChatDetail, ChatMessage } from '@relay/contract/api/chats';
import {
  IconEraser,
  IconEye,
  IconKey,
  IconLock,
  IconMessageReply,
  IconMessages,
  IconSearch,
  IconUser,
  IconUsersGroup,
  type TablerIcon,
} from '@tabler/icons-react';
import {
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import {
  defaultStringifySearch,
  Link,
  useNavigate,
  useParams,
  useSearch,
} from '@tanstack/react-router';
import { memo, useEffect, useMemo, useState } from 'react';
import { nounKey } from '../../data/queries.ts';
import { isNotFound, relay } from '../../data/relay.ts';
import { useNow } from '../../data/use-now.ts';
import { formatMoment, formatPhoneNumber } from '../../parts/format.ts';
import { useFollowLinks } from '../../parts/links.tsx';
import { Note, Page } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { EmptyState, LoadFailure, LoadingRows, QueryContent } from '../../parts/query-content.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Transcript } from '../../parts/transcript/transcript.tsx';
import type { TranscriptSource } from '../../parts/transcript/use-transcript-window.ts';
import {
  PAGE_ENTRIES,
  type TranscriptEntry,
  type TranscriptPage,
} from '../../parts/transcript/window.ts';
import { TranscriptHeader } from '../../parts/transcript-header.tsx';
import { useKeys } from '../../shell/keys.tsx';
import classes from './chats.module.css';
import {
  chatAccessMark,
  chatAccessSentence,
  chatsSentence,
  lastMessageText,
  peekSentence,
  toChatEntry,
} from './copy.ts';

export function ChatsScreen() {
  const { id } = useParams({ strict: false });
  const { q = '', message } = useSearch({ strict: false });
  useEffect(() => {
    if (id === undefined) document.title = 'Chats · Relay';
  }, [id]);
  const { data } = useInfiniteQuery(chatsQuery(q));
  const isNone = q === '' && data?.pages.every(({ chats }) => chats.length === 0);
  if (id === undefined && isNone) return <NoChats />;
  return (
    <div className={classes.page} data-fills data-open={id !== undefined || undefined}>
      <ChatList q={q} current={id} />
      {id === undefined ? (
        <section className={classes.one} aria-label="Chat">
          {data !== undefined && (
            <EmptyState icon={IconMessages} title="Choose a chat to read.">
              It is your own look: what agents see is up to the grants, and nobody is told.
            </EmptyState>
          )}
        </section>
      ) : (
        <ChatPanel key={id} id={id} message={message} />
      )}
    </div>
  );
}

const NoChats = () => (
  <Page title="Chats" sentence={chatsSentence([])}>
    <section className={parts.card}>
      <EmptyState
        icon={IconMessages}
        title="No chats yet."
        action={<Link to="/tools">See the connection</Link>}
      >
        Chats stand here once WhatsApp is linked and somebody writes.
      </EmptyState>
    </section>
  </Page>
);

// The chats, newest first: name, last message, time, and what Relay may do there. J and K move through them.

interface ChatListProps {
  readonly q: string;
  /** The open chat. */
  readonly current: string | undefined;
}

function ChatList({ q, current }: ChatListProps) {
  const navigate = useNavigate();
  const chats = useInfiniteQuery(chatsQuery(q));
  const [typed, setTyped] = useState(q);
  const filter = useDebouncedCallback((words: string) => {
    void navigate({ to: '.', search: words === '' ? {} : { q: words }, replace: true });
  }, 250);
  const all = chats.data?.pages.flatMap((page) => page.chats) ?? [];
  const step = (by: 1 | -1) => {
    const at = all.findIndex(({ id }) => id === current);
    const next = all[at === -1 ? 0 : at + by];
    if (next !== undefined)
      void navigate({ to: '/chats/$id', params: { id: next.id }, search: q === '' ? {} : { q } });
  };
  const now = useNow(60_000);
  const follow = useFollowLinks();
  const search = defaultStringifySearch(q === '' ? {} : { q });
  useKeys({ j: () => step(1), k: () => step(-1) }, 'Next and previous chat');
  return (
    <div className={classes.list}>
      {current === undefined ? (
        <h1 tabIndex={-1} dir="auto">
          {chats.data === undefined ? 'What was said?' : chatsSentence(all, q)}
        </h1>
      ) : (
        <h2>Chats</h2>
      )}
      <TextInput
        className={classes.filter}
        aria-label="Find a chat by name or number"
        placeholder="Name or number"
        leftSection={<IconSearch size={16} />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          filter(event.currentTarget.value.trim());
        }}
      />
      {chats.data === undefined ? (
        chats.isError ? (
          <LoadFailure what="The chats" error={chats.error} onRetry={() => void chats.refetch()} />
        ) : (
          <LoadingRows rows={6} />
        )
      ) : all.length === 0 ? (
        <EmptyState icon={IconMessages} title="No chat fits.">
          Names and numbers are looked through; search looks through what was said.
        </EmptyState>
      ) : (
        // biome-ignore lint/a11y/useKeyWithClickEvents: what is clicked are links, and Enter on a link clicks it
        <nav aria-label="Chats" onClick={follow}>
          <ul>
            {all.map((chat) => (
              <ChatListEntry
                key={chat.id}
                chat={chat}
                search={search}
                now={now}
                isCurrent={chat.id === current}
              />
            ))}
          </ul>
          {chats.hasNextPage && (
            <Button
              variant="default"
              m={12}
              loading={chats.isFetchingNextPage}
              onClick={() => void chats.fetchNextPage()}
            >
              Show more
            </Button>
          )}
        </nav>
      )}
    </div>
  );
}

const MARK_ICONS: Readonly<Record<string, TablerIcon>> = {
  Yours: IconUser,
  Observed: IconEye,
  Closed: IconLock,
  Read: IconEye,
  Drafts: IconMessageReply,
  Answers: IconMessageReply,
};

interface ChatListEntryProps {
  readonly chat: Chat;
  /** The address's search, so that the list stays as it is. */
  readonly search: string;
  readonly now: number;
  readonly isCurrent: boolean;
}

const ChatListEntry = memo(function Entry({ chat, search, now, isCurrent }: ChatListEntryProps) {
  const mark = chatAccessMark(chat);
  const Mark = MARK_ICONS[mark] ?? IconLock;
  return (
    <li>
      <a
        className={classes.entry}
        href={`/chats/${chat.id}${search}`}
        aria-current={isCurrent ? 'page' : undefined}
      >
        <span>
          {chat.kind === 'group' && <IconUsersGroup size={15} aria-label="Group" />}
          <b dir="auto">{chat.name}</b>
          {chat.last_message_at && (
            <time dateTime={chat.last_message_at}>{formatMoment(chat.last_message_at, now)}</time>
          )}
        </span>
        <span className={classes.last} dir="auto">
          {lastMessageText(chat)}
        </span>
        <span className={classes.mark}>
          <Mark size={13} aria-hidden />
          {mark}
        </span>
      </a>
    </li>
  );
});

// One chat for the owner to read: its messages, what Relay may do there, and links.

interface ChatPanelProps {
  readonly id: string;
  readonly message: string | undefined;
}

function ChatPanel({ id, message }: ChatPanelProps) {
  const chat = useQuery(chatQuery(id));
  return (
    <section className={classes.one} aria-label="Chat">
      {isNotFound(chat.error) ? (
        <ChatNotFound />
      ) : (
        <QueryContent query={chat} subject="The chat" loading={<LoadingRows rows={5} />} isPage>
          {(now) => <ChatContent key={`${id} ${message ?? ''}`} chat={now} message={message} />}
        </QueryContent>
      )}
    </section>
  );
}

/** Also for a chat that was shown a moment ago: forgotten data is no longer shown. */
function ChatNotFound() {
  return (
    <EmptyState
      isPage
      icon={IconEraser}
      title="There is no such chat."
      action={<Link to="/chats">All chats</Link>}
    >
      It was never there, or it has been forgotten.
    </EmptyState>
  );
}

function ChatContent({
  chat,
  message,
}: {
  readonly chat: ChatDetail;
  readonly message: string | undefined;
}) {
  const { id, kind, name, contact_id } = chat;
  const source = useMemo(
    () => chatSource(id, message, toChatEntry(kind === 'group')),
    [id, kind, message],
  );
  useEffect(() => {
    document.title = `${name} · Relay`;
  }, [name]);
  return (
    <>
      <TranscriptHeader
        back={{ to: '/chats', label: 'All chats', className: classes.back }}
        title={name}
        about={
          <p className="small dim" dir="auto">
            {chatAccessSentence(chat)}
            {chat.phone_number !== null &&
              !name.includes(chat.phone_number) &&
              ` ${formatPhoneNumber(chat.phone_number)}`}
          </p>
        }
        end="buttons"
      >
        <Button
          variant="default"
          leftSection={<IconKey size={16} />}
          renderRoot={(props) => (
            <Link {...props} to="/people" search={contact_id === null ? {} : { who: contact_id }} />
          )}
        >
          Open grant
        </Button>
        <ActionIcon
          variant="default"
          size={34}
          aria-label={`Search in ${name}`}
          renderRoot={(props) => <Link {...props} to="/search" search={{ chat: id }} />}
        >
          <IconSearch size={17} />
        </ActionIcon>
      </TranscriptHeader>
      {chat.conversations.length > 0 && (
        <ul className={classes.conversations} aria-label="Conversations in this chat">
          {chat.conversations.map((conversation) => (
            <li key={conversation.id}>
              <Link to="/conversations/$id" params={{ id: conversation.id }} dir="auto">
                {conversation.objective}
              </Link>
              <StateBadge instance={conversation} />
            </li>
          ))}
        </ul>
      )}
      <Transcript
        source={source}
        label={`Messages with ${name}`}
        startText="The beginning of what Relay keeps."
        chat={id}
        targetMessageId={message}
        empty={
          <EmptyState icon={IconEraser} title="Nothing is kept of this chat.">
            What was said here is not kept any more, or never reached Relay.
          </EmptyState>
        }
      />
      <div className={classes.peek}>
        <Note hue="parked" icon={IconEye}>
          {peekSentence(chat)}
        </Note>
      </div>
    </>
  );
}

// Queries of the chats page: the list page by page, one chat, and its messages from any point.

const CHATS_PAGE = 50;

const chatsQuery = (q: string) =>
  infiniteQueryOptions({
    queryKey: nounKey('messages', 'chats', q),
    queryFn: ({ signal, pageParam }) =>
      relay.get('/api/chats', {
        signal,
        query: {
          limit: CHATS_PAGE,
          ...(q === '' ? {} : { q }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
  });

const chatQuery = (id: string) =>
  queryOptions({
    queryKey: nounKey('contacts', 'chat', id),
    queryFn: ({ signal }) => relay.get('/api/chats/{id}', { path: { id }, signal }),
  });

function chatSource(
  id: string,
  message: string | undefined,
  toLine: (message: ChatMessage) => TranscriptEntry,
): TranscriptSource {
  const ask = async (query: object, signal?: AbortSignal): Promise<TranscriptPage> => {
    const of = { path: { id }, query: { limit: PAGE_ENTRIES, ...query } };
    const { messages, older, newer } = await relay.get(
      '/api/chats/{id}/messages',
      signal ? { ...of, signal } : of,
    );
    return { entries: messages.map(toLine), hasOlder: older, hasNewer: newer };
  };
  return {
    key: nounKey('messages', 'chat', id),
    newest: (signal) => ask({}, signal),
    older: ({ key: before }) => ask({ before }),
    newer: ({ key: after }) => ask({ after }),
    around: message === undefined ? undefined : (signal) => ask({ message }, signal),
  };
}
