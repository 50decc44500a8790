// The chats page: the list with a message to anybody, and the open chat beside it.

import { Button, Modal, Textarea, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { Chat } from '@relay/contract/api/chats';
import {
  IconAlertTriangle,
  IconEye,
  IconLock,
  IconMessagePlus,
  IconMessageReply,
  IconMessages,
  IconSearch,
  IconUser,
  IconUsersGroup,
  type TablerIcon,
} from '@tabler/icons-react';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import {
  defaultStringifySearch,
  Link,
  useNavigate,
  useParams,
  useSearch,
} from '@tanstack/react-router';
import { memo, useEffect, useState } from 'react';
import { addressInCurrentAccount } from '../../data/account.ts';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { nounKey } from '../../data/queries.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { type ContactChoice, ContactField } from '../../parts/contact-field.tsx';
import { formatMoment } from '../../parts/format.ts';
import { useFollowLinks } from '../../parts/links.tsx';
import { Note, Page, Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { EmptyState, LoadFailure, LoadingRows } from '../../parts/query-content.tsx';
import { RichText } from '../../parts/rich-text.tsx';
import { useKeys } from '../../shell/keys.tsx';
import { ChatPanel } from './chat.tsx';
import classes from './chats.module.css';
import { type ChatAccessLevel, chatAccessLevel, chatTitle, lastMessage } from './copy.ts';

export function ChatsScreen() {
  const { id } = useParams({ strict: false });
  const { q = '', message } = useSearch({ strict: false });
  useEffect(() => {
    if (id === undefined) document.title = `${t('common.page.chats')} · Relay`;
  }, [id]);
  const { data } = useInfiniteQuery(chatsQuery(q));
  const isNone = q === '' && data?.pages.every(({ chats }) => chats.length === 0);
  if (id === undefined && isNone) return <NoChats />;
  return (
    <div className={classes.page} data-fills data-open={id !== undefined || undefined}>
      <ChatList q={q} current={id} />
      {id === undefined ? (
        <section className={classes.one} aria-label={t('chats.chat.label')}>
          {data !== undefined && (
            <EmptyState icon={IconMessages} title={t('chats.chat.none.title')}>
              {t('chats.chat.privacy')}
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
  <Page title={t('common.page.chats')} summary={t('chats.chat.privacy')}>
    <section className={parts.card}>
      <EmptyState
        icon={IconMessages}
        title={t('chats.empty.title')}
        action={<Link to="/tools">{t('chats.empty.action')}</Link>}
      >
        {t('chats.empty.text')}
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
  useKeys({ j: () => step(1), k: () => step(-1) }, t('chats.list.keys'));
  return (
    <div className={classes.list}>
      <div className={classes.top}>
        {current === undefined ? (
          <h1 tabIndex={-1}>{t('common.page.chats')}</h1>
        ) : (
          <h2>{t('common.page.chats')}</h2>
        )}
        <NewMessage />
      </div>
      <TextInput
        className={classes.filter}
        aria-label={t('chats.list.filter')}
        placeholder={t('chats.list.filter.placeholder')}
        leftSection={<IconSearch size={16} />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          filter(event.currentTarget.value.trim());
        }}
      />
      {chats.data === undefined ? (
        chats.isError ? (
          <LoadFailure
            what={t('common.page.chats')}
            error={chats.error}
            onRetry={() => void chats.refetch()}
          />
        ) : (
          <LoadingRows rows={6} />
        )
      ) : all.length === 0 ? (
        <EmptyState icon={IconMessages} title={t('chats.list.noMatch.title')}>
          <RichText
            id="chats.list.noMatch.text"
            components={{ search: <Link to="/search" search={{ q }} /> }}
          />
        </EmptyState>
      ) : (
        // biome-ignore lint/a11y/useKeyWithClickEvents: what is clicked are links, and Enter on a link clicks it
        <nav aria-label={t('common.page.chats')} onClick={follow}>
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
              {t('common.action.more')}
            </Button>
          )}
        </nav>
      )}
    </div>
  );
}

const ACCESS_ICONS: Readonly<Record<ChatAccessLevel, TablerIcon>> = {
  own: IconUser,
  observed: IconEye,
  none: IconLock,
  read: IconEye,
  initiate: IconMessagePlus,
  draft: IconMessageReply,
  auto: IconMessageReply,
};

interface ChatListEntryProps {
  readonly chat: Chat;
  /** The address's search, so that the list stays as it is. */
  readonly search: string;
  readonly now: number;
  readonly isCurrent: boolean;
}

const ChatListEntry = memo(function Entry({ chat, search, now, isCurrent }: ChatListEntryProps) {
  const access = chatAccessLevel(chat);
  const AccessIcon = ACCESS_ICONS[access];
  const { author, text } = lastMessage(chat);
  return (
    <li>
      <a
        className={classes.entry}
        href={addressInCurrentAccount(`/chats/${chat.id}${search}`)}
        aria-current={isCurrent ? 'page' : undefined}
      >
        <span>
          {chat.kind === 'group' && <IconUsersGroup size={15} aria-label={t('chats.list.group')} />}
          <b dir="auto">{chatTitle(chat)}</b>
          {chat.last_message_at && (
            <time dateTime={chat.last_message_at}>{formatMoment(chat.last_message_at, now)}</time>
          )}
        </span>
        <span className={classes.last}>
          {author !== null && <span>{t('chats.list.last.by', { author })}</span>}
          <span className="page-side" dir="auto">
            {text}
          </span>
        </span>
        <span className={classes.access}>
          <AccessIcon size={13} aria-hidden />
          {t(`chats.access.${access}`)}
        </span>
      </a>
    </li>
  );
});

// A message to anybody, also to a number that has no chat yet.

function NewMessage() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconMessagePlus size={16} />}
        onClick={() => setOpen(true)}
      >
        {t('chats.new')}
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={t('chats.new')}
        closeButtonProps={{ 'aria-label': t('common.action.close') }}
      >
        <NewMessageForm onSent={() => setOpen(false)} />
      </Modal>
    </>
  );
}

function NewMessageForm({ onSent }: { onSent(): void }) {
  const navigate = useNavigate();
  const isGone = useIsDaemonGone();
  const [to, setTo] = useState<ContactChoice | null>(null);
  const [text, setText] = useState('');
  // The same until recipient or text changes, so that a retry never sends twice.
  const [key, setKey] = useState(() => crypto.randomUUID());
  const send = useAction({
    run: (address: string) =>
      relay.post('/api/whatsapp/messages', {
        body: { to: address, text: text.trim() },
        header: { 'idempotency-key': key },
      }),
    invalidates: ['messages', 'contacts', 'status'],
    showsErrorInPlace: true,
    onSuccess: ({ chatId }) => {
      onSent();
      void navigate({ to: '/chats/$id', params: { id: chatId } });
    },
  });
  const address = to === null ? null : addressOf(to);
  const isOff = isGone || send.isPending || address === null || text.trim() === '';
  const changed = () => {
    send.reset();
    setKey(crypto.randomUUID());
  };
  return (
    <form
      className={classes.new}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isOff && address !== null) send.mutate(address);
      }}
    >
      {send.error && (
        <Note hue="held" icon={IconAlertTriangle} role="alert">
          <Sentence text={readableError(send.error)} />
        </Note>
      )}
      <ContactField
        label={t('chats.new.to')}
        value={to}
        onChoose={(choice) => {
          setTo(choice);
          changed();
        }}
      />
      <Textarea
        label={t('chats.new.text')}
        dir="auto"
        autosize
        minRows={2}
        maxRows={8}
        maxLength={4_096}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          changed();
        }}
      />
      <Button type="submit" disabled={isOff} loading={send.isPending}>
        {t('common.action.send')}
      </Button>
    </form>
  );
}

function addressOf(choice: ContactChoice): string | null {
  if (choice.is === 'number') return `+${choice.digits}`;
  return choice.is === 'contact' ? choice.contact.jid : null;
}

// The chats, page by page.

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
