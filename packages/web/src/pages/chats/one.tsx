// One chat, read by its owner alone: what was said, what Relay may do there, and where to go from here.
import { ActionIcon, Button } from '@mantine/core';
import type { ChatDetail } from '@relay/core/api/chats';
import { IconEraser, IconEye, IconKey, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { isMissing } from '../../data/relay.ts';
import { Note } from '../../parts/note.tsx';
import { phoneNumber } from '../../parts/numbers.ts';
import { Asked, Empty, LoadingRows } from '../../parts/places.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { TalkHead } from '../../parts/talk-head.tsx';
import { Transcript } from '../../parts/transcript/transcript.tsx';
import classes from './chats.module.css';
import { chatQuery, chatSource } from './queries.ts';
import { openSentence, peekSentence, toLine } from './words.ts';

interface OneChatProps {
  readonly id: string;
  readonly message: string | undefined;
}

export function OneChat({ id, message }: OneChatProps) {
  const chat = useQuery(chatQuery(id));
  return (
    <section className={classes.one} aria-label="Chat">
      {isMissing(chat.error) ? (
        <Missing />
      ) : (
        <Asked query={chat} what="The chat" loading={<LoadingRows rows={5} />} isPage>
          {(now) => <Read key={`${id} ${message ?? ''}`} chat={now} message={message} />}
        </Asked>
      )}
    </section>
  );
}

/** Also of one that was read a moment ago: what is forgotten is not shown any longer. */
function Missing() {
  return (
    <Empty
      isPage
      icon={IconEraser}
      title="There is no such chat."
      act={<Link to="/chats">All chats</Link>}
    >
      It was never there, or it has been forgotten.
    </Empty>
  );
}

function Read({
  chat,
  message,
}: {
  readonly chat: ChatDetail;
  readonly message: string | undefined;
}) {
  const { id, kind, name, contact_id } = chat;
  const source = useMemo(
    () => chatSource(id, message, toLine(kind === 'group')),
    [id, kind, message],
  );
  useEffect(() => {
    document.title = `${name} · Relay`;
  }, [name]);
  return (
    <>
      <TalkHead
        back={{ to: '/chats', label: 'All chats', className: classes.back }}
        title={name}
        about={
          <p className="small dim" dir="auto">
            {openSentence(chat)}
            {chat.phone_number !== null &&
              !name.includes(chat.phone_number) &&
              ` ${phoneNumber(chat.phone_number)}`}
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
      </TalkHead>
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
        begins="The beginning of what Relay keeps."
        chat={id}
        meant={message}
        empty={
          <Empty icon={IconEraser} title="Nothing is kept of this chat.">
            What was said here is not kept any more, or never reached Relay.
          </Empty>
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
