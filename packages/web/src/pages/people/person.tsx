// The details of one person or group, beside the table; on a phone a page of its own. What it leads to is one click
// away: chats, conversations, decisions, programs. At its end, forgetting.
import { Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ContactDetail } from '@relay/core/api/contacts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useNow } from '../../data/use-now.ts';
import { Badge } from '../../parts/marks.tsx';
import { phoneNumber } from '../../parts/numbers.ts';
import { outcomeShown } from '../../parts/outcomes.ts';
import parts from '../../parts/parts.module.css';
import { Asked, LoadingLines } from '../../parts/places.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { calledIn } from '../../parts/somebody.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { moment } from '../../parts/times.ts';
import { Forget } from './forget.tsx';
import { GrantRow } from './grant-row.tsx';
import shared from './people.module.css';
import classes from './person.module.css';
import { contactQuery } from './queries.ts';
import { programMay } from './words.ts';

export function PersonDrawer({ id, onClose }: { readonly id: string; onClose(): void }) {
  const queries = useQueryClient();
  const [isErased, setErased] = useState(false);
  const detail = useQuery({ ...contactQuery(id), enabled: !isErased });
  const close = () => {
    onClose();
    if (isErased) void queries.invalidateQueries({ queryKey: ['contacts'] });
  };
  const isPhone = useMediaQuery('(max-width: 860px)');
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size={isPhone ? '100%' : 520}
      title={
        <span dir="auto">
          {detail.data === undefined ? 'Details' : calledIn(detail.data.contact)}
        </span>
      }
      closeButtonProps={{ 'aria-label': 'Close the details' }}
    >
      <Asked query={detail} what="The details" loading={<LoadingLines lines={8} />}>
        {(data) => <Details detail={data} onErased={() => setErased(true)} onDone={close} />}
      </Asked>
    </Drawer>
  );
}

interface DetailsProps {
  readonly detail: ContactDetail;
  onErased(): void;
  onDone(): void;
}

function Details({ detail, onErased, onDone }: DetailsProps) {
  const now = useNow(30_000);
  const { contact, chats, conversations, tokens, ledger } = detail;
  return (
    <div className={classes.details}>
      <div className={`${shared.list} ${classes.grant}`}>
        <ul className={shared.rows}>
          <GrantRow contact={contact} now={now} />
        </ul>
      </div>
      <Addresses detail={detail} />
      <Part title="Chats" none="No chat with them yet.">
        {chats.map(({ id, kind, name, last_message_at: last }) => (
          <li key={id}>
            <Link to="/chats/$id" params={{ id }} dir="auto">
              {kind === 'direct' ? 'Their chat with you' : (name ?? 'A group without a name')}
            </Link>
            <span className="small dim num">{last === null ? '' : moment(last, now)}</span>
          </li>
        ))}
      </Part>
      <Part title="Conversations" none="No conversation with them yet.">
        {conversations.map((conversation) => (
          <li key={conversation.id}>
            <Link to="/conversations/$id" params={{ id: conversation.id }} dir="auto">
              {conversation.objective}
            </Link>
            <StateBadge instance={conversation} />
          </li>
        ))}
      </Part>
      <Part title="Lately" none="Nothing was decided about them lately.">
        {ledger.map((line) => {
          const { word, hue, icon } = outcomeShown(line.outcome);
          return (
            <li key={line.seq} className={classes.line}>
              <Badge hue={hue} icon={icon}>
                {word}
              </Badge>
              <Link to="/ledger/$row" params={{ row: String(line.seq) }} className="small">
                <Sentence text={`${capital(line.what)}. ${line.sentence}`} />
              </Link>
              <span className="small dim num">{moment(line.at, now)}</span>
            </li>
          );
        })}
      </Part>
      <Part
        title="Programs that may deal with them"
        none="No program has a token that reaches them."
      >
        {tokens.map(({ id, name, scopes, by_name: isNamed }) => (
          <li key={id} className={classes.program}>
            <span dir="auto">{name}</span>
            <p className="small dim">{programMay(scopes, isNamed)}</p>
          </li>
        ))}
      </Part>
      <Forget contact={contact} onErased={onErased} onDone={onDone} />
    </div>
  );
}

function Addresses({
  detail: { contact, addresses, calls_itself: itself },
}: Pick<DetailsProps, 'detail'>) {
  const WORDS = { phone: 'Number', lid: 'Hidden id', group: 'Group address' } as const;
  return (
    <dl className={parts.facts}>
      {itself !== null && itself !== contact.name && (
        <>
          <dt>Calls itself</dt>
          <dd dir="auto">{itself}</dd>
        </>
      )}
      {addresses.map(({ kind, value }) => [
        <dt key={`${kind} ${value}`}>{WORDS[kind]}</dt>,
        <dd key={value} className="num">
          {kind === 'phone' ? phoneNumber(value) : value}
        </dd>,
      ])}
    </dl>
  );
}

interface PartProps {
  readonly title: string;
  readonly none: string;
  readonly children: readonly ReactNode[];
}

function Part({ title, none, children }: PartProps) {
  return (
    <section className={classes.part}>
      <h3>{title}</h3>
      {children.length === 0 ? (
        <p className="small dim">{none}</p>
      ) : (
        <ul className={classes.linked}>{children}</ul>
      )}
    </section>
  );
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
