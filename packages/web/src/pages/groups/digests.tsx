// The digests of a day: hour by hour, or the day as a whole with its facts. Day and shape stand in the address; H and
// D choose between them.
import { ActionIcon, SegmentedControl } from '@mantine/core';
import type { GroupDay } from '@relay/core/api/digests';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useNow } from '../../data/use-now.ts';
import { plural } from '../../parts/numbers.ts';
import parts from '../../parts/parts.module.css';
import { Asked } from '../../parts/places.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { useKeys } from '../../shell/keys.tsx';
import { AskForm } from './ask.tsx';
import classes from './groups.module.css';
import { Nothing, Origin } from './origin.tsx';
import type { GroupsView } from './view.ts';
import { WholeDay } from './whole-day.tsx';
import { clockIn, dayAfter, dayTitle, withoutHour } from './words.ts';

interface DigestsCardProps {
  readonly id: string;
  readonly name: string;
  readonly day: UseQueryResult<GroupDay | null, Error>;
  /** When the oldest message was written that is still kept. */
  readonly oldest: string | null;
}

export function DigestsCard({ id, name, day, oldest }: DigestsCardProps) {
  const view = useSearch({ strict: false });
  const navigate = useNavigate();
  const show = (changed: GroupsView) =>
    void navigate({ to: '/groups/$id', params: { id }, search: { ...view, ...changed } });
  const by = view.by ?? 'hour';
  useKeys({ h: () => show({ by: 'hour' }), d: () => show({ by: 'day' }) }, 'By hour, by day');
  const now = useNow(30_000);
  const shown = day.data ?? null;
  const isToday = shown === null || Date.parse(shown.to) > now;
  return (
    <section className={parts.card} aria-labelledby="digests">
      <div className={classes.dayHead}>
        <ActionIcon
          aria-label="The day before"
          disabled={shown === null}
          onClick={() => shown && show({ day: dayAfter(shown.day, -1) })}
        >
          <IconChevronLeft size={18} />
        </ActionIcon>
        <h2 id="digests">{shown === null ? 'Digests' : dayTitle(shown, now)}</h2>
        <ActionIcon
          aria-label="The day after"
          disabled={isToday}
          onClick={() => shown && show({ day: dayAfter(shown.day, 1) })}
        >
          <IconChevronRight size={18} />
        </ActionIcon>
        <SegmentedControl
          aria-label="Digests by"
          value={by}
          onChange={(chosen) => show({ by: chosen === 'day' ? 'day' : 'hour' })}
          data={[
            { value: 'hour', label: 'By hour' },
            { value: 'day', label: 'By day' },
          ]}
        />
      </div>
      <div className={day.isPlaceholderData ? classes.stale : undefined}>
        <Asked query={day} what="The digests">
          {(found) =>
            found === null ? (
              <Nothing says="Nothing is kept of this group." />
            ) : by === 'day' ? (
              <WholeDay day={found} oldest={oldest} />
            ) : (
              <Hours day={found} oldest={oldest} />
            )
          }
        </Asked>
      </div>
      <AskForm id={id} name={name} />
    </section>
  );
}

function Hours({ day, oldest }: { readonly day: GroupDay; readonly oldest: string | null }) {
  const failed = day.failures.filter(({ kind }) => kind === 'hourly');
  if (day.hourly.length + failed.length === 0) {
    return <Nothing says={day.instead ?? 'No hour of this day has a digest of its own.'} />;
  }
  const hours = [...day.hourly].sort((a, b) => b.from.localeCompare(a.from));
  return (
    <ol className={`${classes.hours} ${parts.rows}`}>
      {hours.map((hour) => (
        <li key={hour.id}>
          <div>
            <time dateTime={hour.from}>{clockIn(day.zone, hour.from)}</time>
            <small className="num">of {plural(hour.messages, 'message')}</small>
          </div>
          <div>
            <p dir="auto" className={classes.told}>
              {withoutHour(hour.text)}
            </p>
            <Origin chat={day.chat_id} from={hour.from} oldest={oldest} />
          </div>
        </li>
      ))}
      {failed.map((hour) => (
        <li key={hour.from}>
          <div>
            <time dateTime={hour.from}>{clockIn(day.zone, hour.from)}</time>
          </div>
          <p className="dim">
            <Sentence text={hour.sentence} />
          </p>
        </li>
      ))}
    </ol>
  );
}
