// The chats, the newest first: who, what was said last, when, and what Relay may do there. J and K go through them.
import { Button, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { Chat } from '@relay/core/api/chats';
import {
  IconEye,
  IconLock,
  IconMessageReply,
  IconMessages,
  IconSearch,
  IconUser,
  IconUsersGroup,
  type TablerIcon,
} from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { defaultStringifySearch, useNavigate } from '@tanstack/react-router';
import { memo, useState } from 'react';
import { useNow } from '../../data/use-now.ts';
import { useFollow } from '../../parts/follow.ts';
import { Empty, Failed, LoadingRows } from '../../parts/places.tsx';
import { moment } from '../../parts/times.ts';
import { useKeys } from '../../shell/keys.tsx';
import classes from './chats.module.css';
import { chatsQuery } from './queries.ts';
import { chatsSentence, lastWords, openMark } from './words.ts';

interface ChatListProps {
  readonly q: string;
  /** The one that is open. */
  readonly current: string | undefined;
}

export function ChatList({ q, current }: ChatListProps) {
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
  const follow = useFollow();
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
          <Failed what="The chats" error={chats.error} onRetry={() => void chats.refetch()} />
        ) : (
          <LoadingRows rows={6} />
        )
      ) : all.length === 0 ? (
        <Empty icon={IconMessages} title="No chat fits.">
          Names and numbers are looked through; search looks through what was said.
        </Empty>
      ) : (
        // biome-ignore lint/a11y/useKeyWithClickEvents: what is clicked are links, and Enter on a link clicks it
        <nav aria-label="Chats" onClick={follow}>
          <ul>
            {all.map((chat) => (
              <Entry
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

const MARKS: Readonly<Record<string, TablerIcon>> = {
  Yours: IconUser,
  Observed: IconEye,
  Closed: IconLock,
  Read: IconEye,
  Drafts: IconMessageReply,
  Answers: IconMessageReply,
};

interface EntryProps {
  readonly chat: Chat;
  /** Of the address, so that the list stays as it is. */
  readonly search: string;
  readonly now: number;
  readonly isCurrent: boolean;
}

const Entry = memo(function Entry({ chat, search, now, isCurrent }: EntryProps) {
  const mark = openMark(chat);
  const Mark = MARKS[mark] ?? IconLock;
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
            <time dateTime={chat.last_message_at}>{moment(chat.last_message_at, now)}</time>
          )}
        </span>
        <span className={classes.last} dir="auto">
          {lastWords(chat)}
        </span>
        <span className={classes.mark}>
          <Mark size={13} aria-hidden />
          {mark}
        </span>
      </a>
    </li>
  );
});
