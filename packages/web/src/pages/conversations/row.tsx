// One conversation in the list: a row of the table on a laptop, a small card on a phone; the whole of it leads there.
import type { ListedInstance } from '@relay/core/api/instances';
import { memo } from 'react';
import { Initials } from '../../parts/initials.tsx';
import { Chip } from '../../parts/marks.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { StateBadge, YesBadge } from '../../parts/state-badge.tsx';
import { fullTime } from '../../parts/times.ts';
import classes from './conversations.module.css';
import { changeTime, doneOf, followUpLine, reasonLine, whoOf } from './words.ts';

interface RowProps {
  readonly instance: ListedInstance;
  readonly now: number;
  readonly index: number;
  readonly measure: (row: HTMLElement | null) => void;
}

export const Row = memo(function Row({ instance, now, index, measure }: RowProps) {
  const { id, objective, todos, unread, updated_at: changed } = instance;
  const next = followUpLine(instance, now) ?? reasonLine(instance);
  return (
    <tr className={classes.row} data-index={index} aria-rowindex={index + 2} ref={measure}>
      <td className={classes.what}>
        <a href={`/conversations/${id}`} dir="auto">
          {objective}
        </a>
      </td>
      <td>
        <span className={classes.who}>
          <Initials name={instance.contact_name} />
          <span dir="auto">{whoOf(instance)}</span>
        </span>
      </td>
      <td>
        <span className={classes.badges}>
          <StateBadge instance={instance} />
          {instance.approval_id !== null && <YesBadge />}
          {unread > 0 && <Chip>{unread} unread</Chip>}
        </span>
      </td>
      <td className={`${classes.todos} num`}>
        {todos.length > 0 && `${doneOf(instance)} of ${todos.length}`}
      </td>
      <td className={classes.next}>
        {next !== null && (
          <span className={classes.line} dir="auto">
            <Sentence text={next} />
          </span>
        )}
      </td>
      <td className={classes.changed}>
        <time dateTime={changed} title={fullTime(changed)}>
          {changeTime(changed, now)}
        </time>
      </td>
    </tr>
  );
});
