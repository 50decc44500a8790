// One chat for the owner to read: its messages, what Relay may do there, links, and the field to write in.

import { ActionIcon, Button, Switch } from '@mantine/core';
import type { ChatDetail, ChatMessage } from '@relay/contract/api/chats';
import { ownersMoves } from '@relay/core/conversation/transition-table';
import { IconEraser, IconKey, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { chatQuery, nounKey, pendingApprovalsQuery } from '../../data/queries.ts';
import { isNotFound, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { t } from '../../i18n.ts';
import {
  type ComposedMessage,
  Composer,
  type ReplyTarget,
  toReplyTarget,
} from '../../parts/composer/composer.tsx';
import { formatPhoneNumber } from '../../parts/format.ts';
import { EmptyState, LoadingRows, QueryContent } from '../../parts/query-content.tsx';
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
import classes from './chats.module.css';
import { chatAccessSummary, chatTitle, toChatEntry } from './copy.ts';

interface ChatPanelProps {
  readonly id: string;
  readonly message: string | undefined;
}

export function ChatPanel({ id, message }: ChatPanelProps) {
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

// The chat's messages, from any point.

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
