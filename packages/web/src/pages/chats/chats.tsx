// What was said: the chats beside the one that is read.
import { IconMessages } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Page } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { Empty } from '../../parts/places.tsx';
import classes from './chats.module.css';
import { ChatList } from './list.tsx';
import { OneChat } from './one.tsx';
import { chatsQuery } from './queries.ts';
import { chatsSentence } from './words.ts';

export function Chats() {
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
            <Empty icon={IconMessages} title="Choose a chat to read.">
              It is your own look: what agents see is up to the grants, and nobody is told.
            </Empty>
          )}
        </section>
      ) : (
        <OneChat key={id} id={id} message={message} />
      )}
    </div>
  );
}

const NoChats = () => (
  <Page title="Chats" sentence={chatsSentence([])}>
    <section className={parts.card}>
      <Empty
        icon={IconMessages}
        title="No chats yet."
        act={<Link to="/tools">See the connection</Link>}
      >
        Chats stand here once WhatsApp is linked and somebody writes.
      </Empty>
    </section>
  </Page>
);
