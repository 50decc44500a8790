// One schedule: when it is next, to whom, what, how it comes again, who made it, and what became of the last.

import { Button } from '@mantine/core';
import type { Schedule } from '@relay/core/api/schedules';
import { visible } from '@relay/core/messages/visible';
import { catchUpWords } from '@relay/core/schedule/words';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { linkQuery } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { Badge, Chip } from '../../parts/marks.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { span } from '../../parts/times.ts';
import { ask } from '../../shell/asking.tsx';
import classes from './schedules.module.css';
import { dayAndTime, timeForYou, timeIn } from './times.ts';
import { cancelWords, recipientOf, resultReason, resultShown } from './words.ts';

interface RowProps {
  readonly schedule: Schedule;
  readonly now: number;
}

export function ScheduleRow({ schedule, now }: RowProps) {
  const whom = useRecipient(schedule);
  const [next] = schedule.next;
  const forYou = next === undefined ? null : timeForYou(schedule.zone, next, now);
  return (
    <li className={classes.row}>
      <When schedule={schedule} now={now} />
      <div className={classes.what}>
        <p>
          <b dir="auto">To {whom}</b> <span className="dim small">{schedule.words}</span>
        </p>
        <blockquote dir="auto">{visible(schedule.text)}</blockquote>
        <p className={classes.facts}>
          <Made schedule={schedule} />
          {next !== undefined && <Chip>{catchUpWords(schedule.rule, schedule.catch_up)}</Chip>}
          {forYou !== null && <Chip>{forYou}</Chip>}
        </p>
        <LastResult schedule={schedule} now={now} />
      </div>
      <CancelButton schedule={schedule} now={now} />
    </li>
  );
}

function useRecipient(schedule: Schedule): string {
  const { data: link } = useQuery(linkQuery);
  return recipientOf(schedule, link?.phone ?? null);
}

function When({ schedule: { next, zone, state, last, created_at }, now }: RowProps) {
  const [first] = next;
  if (first === undefined) {
    return (
      <div className={classes.when}>
        <b>{state === 'cancelled' ? 'Cancelled' : 'Over'}</b>
        <span className="small dim num">{timeIn(zone, last?.at ?? created_at, now)}</span>
      </div>
    );
  }
  const { day, time } = dayAndTime(zone, first, now);
  const wait = Date.parse(first) - now;
  return (
    <div className={classes.when}>
      <time dateTime={first}>
        <span className="small dim">{day}</span>
        <b className="num">{time}</b>
      </time>
      <span className="small dim num">{wait <= 0 ? 'now' : `in ${span(wait)}`}</span>
    </div>
  );
}

function Made({ schedule: { created_by, who } }: { readonly schedule: Schedule }) {
  const [kind, id = ''] = created_by.split(':');
  if (kind === 'conversation') {
    return (
      <Chip>
        made by{' '}
        <Link to="/conversations/$id" params={{ id }} dir="auto">
          {who}
        </Link>
      </Chip>
    );
  }
  return (
    <Chip>
      <span dir="auto">made by {who}</span>
    </Chip>
  );
}

function LastResult({ schedule: { last, zone }, now }: RowProps) {
  if (last === null) return null;
  const { word, hue, icon } = resultShown(last);
  const reason = resultReason(last);
  return (
    <p className={classes.result}>
      <Badge hue={hue} icon={icon}>
        {word}
      </Badge>
      <span className="small dim">
        {timeIn(zone, last.last_due_at, now)}
        {reason !== null && (
          <>
            {': '}
            <Sentence text={reason} />
          </>
        )}{' '}
        {last.approval_id !== null && (
          <Link to="/approvals/$id" params={{ id: last.approval_id }}>
            Decide
          </Link>
        )}
      </span>
    </p>
  );
}

function CancelButton({ schedule, now }: RowProps) {
  const isGone = useIsGone();
  const whom = useRecipient(schedule);
  const cancel = useAct({
    act: () => relay.delete('/api/schedules/{id}', { path: { id: schedule.id } }),
    touches: ['schedules', 'approvals', 'status'],
    done: `Cancelled. Nothing more goes to ${whom} from it.`,
  });
  const isOnItsWay =
    schedule.last?.message_state === 'pending' || schedule.last?.approval_id != null;
  if (schedule.state !== 'active' && !(schedule.state === 'done' && isOnItsWay)) return <span />;
  const askFirst = () =>
    ask({
      title: `Cancel what goes to ${whom}?`,
      words: cancelWords(schedule, whom, now),
      yes: 'Cancel it',
      no: 'Keep it',
      isGrave: true,
      onYes: () => cancel.mutate(),
    });
  return (
    <Button
      variant="default"
      size="xs"
      onClick={askFirst}
      disabled={isGone}
      loading={cancel.isPending}
      aria-label={`Cancel what goes to ${whom}, ${schedule.words}`}
    >
      Cancel
    </Button>
  );
}
