// A day as a whole: what was said, then decisions, events, action items and open questions, one by one.
import type { GroupDay } from '@relay/core/api/digests';
import { factLine } from '@relay/core/observer/digest/facts';
import { grouped, plural } from '../../parts/numbers.ts';
import { Sentence } from '../../parts/sentence.tsx';
import classes from './groups.module.css';
import { Nothing, Origin } from './origin.tsx';
import { clockIn, factGroups } from './words.ts';

interface WholeDayProps {
  readonly day: GroupDay;
  readonly oldest: string | null;
}

export function WholeDay({ day, oldest }: WholeDayProps) {
  const failed = day.failures.find(({ kind }) => kind === 'daily');
  if (day.daily === null) {
    if (failed === undefined) return <Nothing says={day.instead ?? 'This day has no digest.'} />;
    return (
      <p className={`${classes.whole} dim`}>
        <Sentence text={failed.sentence} />
      </p>
    );
  }
  return (
    <div className={classes.whole}>
      <p dir="auto" className={classes.told}>
        {day.daily.text}
      </p>
      <p className="small dim num">
        Sums up {plural(day.daily.messages, 'message')} · {grouped(day.daily.cost_tokens)} tokens to
        make
      </p>
      {factGroups(day.daily.facts).map(({ kind, title, facts }) => (
        <section key={kind} aria-label={title}>
          <h3>{title}</h3>
          <ul className={classes.facts}>
            {facts.map((fact) => (
              <li key={`${fact.said_at} ${fact.text}`}>
                <span dir="auto">{factLine(fact)}</span>
                {fact.said_at !== day.from && (
                  <time className="small dim" dateTime={fact.said_at}>
                    {clockIn(day.zone, fact.said_at)}
                  </time>
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
      <Origin chat={day.chat_id} from={day.from} oldest={oldest} />
    </div>
  );
}
