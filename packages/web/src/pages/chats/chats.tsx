// The chats page: the list, and the open chat beside it.

import { ActionIcon, Button, Modal, Switch, Textarea, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { Chat, ChatDetail, ChatMessage } from '@relay/contract/api/chats';
import { ownersMoves } from '@relay/core/conversation/transition-table';
import {
  IconAlertTriangle,
  IconEraser,
  IconEye,
  IconKey,
  IconLock,
  IconMessagePlus,
  IconMessageReply,
  IconMessages,
  IconSearch,
  IconUser,
  IconUsersGroup,
  type TablerIcon,
} from '@tabler/icons-react';
import { infiniteQueryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import {
  defaultStringifySearch,
  Link,
  useNavigate,
  useParams,
  useSearch,
} from '@tanstack/react-router';
import { memo, useCallback, useEffect, useMemo, useState } from 'react';
import { addressHere } from '../../data/account.ts';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { chatQuery, nounKey, pendingApprovalsQuery } from '../../data/queries.ts';
import { isNotFound, readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import {
  type ComposedMessage,
  Composer,
  type ReplyTarget,
  toReplyTarget,
} from '../../parts/composer/composer.tsx';
import { type ContactChoice, ContactField } from '../../parts/contact-field.tsx';
import { formatMoment, formatPhoneNumber } from '../../parts/format.ts';
import { useFollowLinks } from '../../parts/links.tsx';
import { Note, Page, Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { EmptyState, LoadFailure, LoadingRows, QueryContent } from '../../parts/query-content.tsx';
import { RichText } from '../../parts/rich-text.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Transcript } from '../../parts/transcript/transcript.tsx';
import type { TranscriptSource } from '../../parts/transcript/use-transcript-window.ts';
import {
  PAGE_ENTRIES,
  type TranscriptEntry,
  type TranscriptPage,
} from '../../parts/transcript/window.ts';
import { TranscriptHeader } from '../../parts/transcript-header.tsx';
import { WaitingApproval } from '../../parts/waiting-approval.tsx';
import { useKeys } from '../../shell/keys.tsx';
import classes from './chats.module.css';
import {
  type ChatAccessLevel,
  chatAccessLevel,
  chatAccessSummary,
  chatTitle,
  lastMessage,
  toChatEntry,
} from './copy.ts';

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
  <Page title={t('common.page.chats')}>
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
        href={addressHere(`/chats/${chat.id}${search}`)}
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

// One chat for the owner to read: its messages, what Relay may do there, and links.

interface ChatPanelProps {
  readonly id: string;
  readonly message: string | undefined;
}

function ChatPanel({ id, message }: ChatPanelProps) {
  const chat = useQuery(chatQuery(id));
  return (
    <section className={classes.one} aria-label={t('chats.chat.label')}>
      {isNotFound(chat.error) ? (
        <ChatNotFound />
      ) : (
        <QueryContent
          query={chat}
          subject={t('chats.chat.label')}
          loading={<LoadingRows rows={5} />}
          isPage
        >
          {(now) => <ChatContent key={`${id} ${message ?? ''}`} chat={now} message={message} />}
        </QueryContent>
      )}
    </section>
  );
}

/** Also replaces a chat that is already shown: deleted data disappears from the page. */
function ChatNotFound() {
  return (
    <EmptyState
      isPage
      icon={IconEraser}
      title={t('chats.chat.notFound.title')}
      action={<Link to="/chats">{t('chats.chat.back')}</Link>}
    >
      {t('chats.chat.notFound.text')}
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
  const { id, kind, contact_id } = chat;
  const name = chatTitle(chat);
  const source = useMemo(
    () => chatSource(id, message, toChatEntry(kind === 'group')),
    [id, kind, message],
  );
  useEffect(() => {
    document.title = `${name} · Relay`;
  }, [name]);
  const [lines, setLines] = useState<readonly TranscriptEntry[]>([]);
  const [replyTo, setReplyTo] = useState<ReplyTarget | null>(null);
  const onReply = useCallback(
    (line: TranscriptEntry) => setReplyTo(toReplyTarget(line, name)),
    [name],
  );
  const endReply = useCallback(() => setReplyTo(null), []);
  const { data: approvals = [] } = useQuery(pendingApprovalsQuery);
  const waiting = approvals.filter(({ chat_id }) => chat_id === id);
  return (
    <>
      <TranscriptHeader
        back={{ to: '/chats', label: t('chats.chat.back'), className: classes.back }}
        title={name}
        about={
          <p className="small dim" dir="auto">
            {chat.phone_number !== null &&
              !chat.name.includes(chat.phone_number) &&
              `${formatPhoneNumber(chat.phone_number)} · `}
            {chatAccessSummary(chat)}
          </p>
        }
        end="buttons"
      >
        {kind !== 'own' && (
          <Button
            variant="default"
            leftSection={<IconKey size={16} />}
            renderRoot={(props) => (
              <Link
                {...props}
                to="/people"
                search={contact_id === null ? {} : { who: contact_id }}
              />
            )}
          >
            {t('chats.chat.grant')}
          </Button>
        )}
        <ActionIcon
          variant="default"
          size={34}
          aria-label={t('chats.chat.search', { name })}
          renderRoot={(props) => <Link {...props} to="/search" search={{ chat: id }} />}
        >
          <IconSearch size={17} />
        </ActionIcon>
      </TranscriptHeader>
      {chat.conversations.length > 0 && (
        <ul className={classes.conversations} aria-label={t('chats.chat.conversations')}>
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
      {chat.grant?.can_read === true && !chat.grant.can_reply && (
        <SuggestSwitch chat={chat} grant={chat.grant.id} />
      )}
      <Transcript
        onReply={chat.address === null ? undefined : onReply}
        onLines={setLines}
        source={source}
        label={t('chats.chat.messages', { name })}
        name={name}
        startText={t('chats.chat.messages.start')}
        chat={id}
        targetMessageId={message}
        empty={
          <EmptyState icon={IconEraser} title={t('chats.chat.messages.empty.title')}>
            {t('chats.chat.messages.empty.text')}
          </EmptyState>
        }
      />
      <div className={classes.write}>
        {waiting.map((approval) => (
          <WaitingApproval key={approval.id} approval={approval} />
        ))}
        {chat.address === null ? (
          <p className="small dim">{t('chats.composer.noAddress', { name })}</p>
        ) : (
          <Composer
            chatId={id}
            name={name}
            draftKey={id}
            send={(message) => sendInChat(chat, message)}
            replyTo={replyTo}
            onReplyEnd={endReply}
            lastDelivery={lastOwnDelivery(lines)}
            canAttach
            hint={
              joinsConversation(chat) ? t('chats.composer.inConversation') : t('chats.chat.privacy')
            }
          />
        )}
      </div>
    </>
  );
}

/** The delivery state of the owner's last message in this chat; null if it was not sent here. */
const lastOwnDelivery = (lines: readonly TranscriptEntry[]) =>
  lines.findLast(({ side }) => side === 'owner')?.delivery ?? null;

/** Whether the owner’s message becomes part of an open conversation. */
const joinsConversation = ({ conversations }: ChatDetail): boolean =>
  conversations.some(({ state }) =>
    ownersMoves(state, null).some(({ move }) => move === 'manual_send'),
  );

const sendInChat = (chat: ChatDetail, { text, key, replyTo, media }: ComposedMessage) =>
  relay.post('/api/whatsapp/messages', {
    body: {
      to: chat.address ?? '',
      ...(media === undefined
        ? { text }
        : { media: { ...media, ...(text === '' ? {} : { caption: text }) } }),
      ...(replyTo === undefined ? {} : { replyTo }),
    },
    header: { 'idempotency-key': key },
  });

// Suggestions cost model calls, so they are off until the owner turns them on for this contact.

function SuggestSwitch({ chat, grant }: { readonly chat: ChatDetail; readonly grant: string }) {
  const isGone = useIsDaemonGone();
  const toggle = useAction({
    run: (suggest: true | null) =>
      relay.patch('/api/whatsapp/permissions/{id}', {
        path: { id: grant },
        body: { options: { suggest } },
      }),
    invalidates: ['contacts', 'whatsapp-permissions'],
  });
  return (
    <div className={classes.suggest}>
      <Switch
        label={t('chats.suggest')}
        description={t('chats.suggest.help', { name: chat.name })}
        checked={chat.suggests}
        disabled={isGone}
        onChange={() => toggle.mutate(chat.suggests ? null : true)}
      />
    </div>
  );
}

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
