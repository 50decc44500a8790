// A conversation at a glance: what for, with whom, where it stands and why, how far it is, what happens next.
import { Progress, Skeleton } from '@mantine/core';
import type { ListedInstance } from '@relay/core/api/instances';
import { memo } from 'react';
import { Initials } from '../../parts/initials.tsx';
import { Chip } from '../../parts/marks.tsx';
import parts from '../../parts/parts.module.css';
import { Sentence } from '../../parts/sentence.tsx';
import { StateBadge, YesBadge } from '../../parts/state-badge.tsx';
import { fullTime } from '../../parts/times.ts';
import classes from './conversations.module.css';
import { changeTime, doneOf, followUpLine, reasonLine, whoOf } from './words.ts';

interface CardProps {
  readonly instance: ListedInstance;
  readonly now: number;
}

export const ConversationCard = memo(function ConversationCard({ instance, now }: CardProps) {
  const { id, objective, todos, unread, updated_at: changed } = instance;
  const reason = reasonLine(instance);
  const next = followUpLine(instance, now);
  const done = doneOf(instance);
  return (
    <a
      href={`/conversations/${id}`}
      className={classes.card}
      data-card={id}
      data-mine={instance.turn === 'you' || undefined}
    >
      <b className={classes.objective} dir="auto">
        {objective}
      </b>
      <span className={classes.who}>
        <Initials name={instance.contact_name} />
        <span>
          <span className="unseen">with </span>
          <span dir="auto">{whoOf(instance)}</span>
        </span>
        <time dateTime={changed} title={`Last change ${fullTime(changed)}`}>
          {changeTime(changed, now)}
        </time>
      </span>
      <span className={classes.badges}>
        <StateBadge instance={instance} />
        {instance.approval_id !== null && <YesBadge />}
        {unread > 0 && <Chip>{unread} unread</Chip>}
      </span>
      {reason !== null && (
        <span className={classes.line} dir="auto">
          <Sentence text={reason} />
        </span>
      )}
      {next !== null && <span className={classes.line}>{next}</span>}
      {todos.length > 0 && (
        <span className={classes.done}>
          <Progress value={(done / todos.length) * 100} size={4} aria-hidden />
          <span className="num">
            {done}/{todos.length} <span className="unseen">to-dos done</span>
          </span>
        </span>
      )}
    </a>
  );
});

/** In the shape of two of them. */
export const LoadingCards = () => (
  <div className={parts.late} role="status" aria-busy="true" aria-label="Loading">
    {[0, 1].map((card) => (
      <div className={classes.card} key={card}>
        <Skeleton width="88%" height={12} />
        <Skeleton width="62%" height={10} />
        <Skeleton width="54%" height={20} />
        <Skeleton width="100%" height={6} />
      </div>
    ))}
  </div>
);
