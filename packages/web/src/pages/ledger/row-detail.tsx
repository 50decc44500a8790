// One decision: its sentence, the steps it is one of, what the row keeps, and where each of that leads.
import type { LedgerLine } from '@relay/core/api/ledger';
import { IconZoomQuestion } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useNow } from '../../data/use-now.ts';
import { Badge } from '../../parts/marks.tsx';
import { grouped } from '../../parts/numbers.ts';
import { outcomeShown } from '../../parts/outcomes.ts';
import parts from '../../parts/parts.module.css';
import { Asked, Empty, LoadingLines } from '../../parts/places.tsx';
import classes from './ledger.module.css';
import { rowQuery } from './queries.ts';
import { RowLinks } from './row-links.tsx';
import { StepsOf } from './steps-of.tsx';
import { capital, fieldsOf, rowTime, shortId, whyOf } from './words.ts';

interface RowDetailProps {
  readonly seq: number;
  /** As the list has it. */
  readonly listed?: LedgerLine | undefined;
  readonly isLanding?: boolean;
}

export function RowDetail({ seq, listed, isLanding = false }: RowDetailProps) {
  const row = useQuery({
    ...rowQuery(seq),
    ...(listed === undefined ? {} : { initialData: listed }),
  });
  return (
    <article className={classes.detail}>
      <Asked query={row} what="The row" loading={<LoadingLines lines={6} />}>
        {(entry) =>
          entry === null ? <NoSuchRow /> : <Whole entry={entry} isLanding={isLanding} />
        }
      </Asked>
    </article>
  );
}

function Whole({ entry, isLanding }: { readonly entry: LedgerLine; readonly isLanding: boolean }) {
  const now = useNow(60_000);
  const { word, hue, icon } = outcomeShown(entry.outcome);
  const { day, time } = rowTime(entry.at, now);
  const fields = fieldsOf(entry);
  return (
    <>
      <div className={classes.body}>
        <p className={classes.eyebrow}>
          {capital(entry.what)}, {day === null ? '' : `${day} `}
          {time}
        </p>
        <h2 tabIndex={-1} data-landing={isLanding || undefined} dir="auto">
          {capital(entry.about ?? entry.who)}
        </h2>
        <Badge hue={hue} icon={icon}>
          {word}
        </Badge>
        <p dir="auto">
          {whyOf(entry)} <code>{entry.reason}</code>
        </p>
        <p className="small dim">
          Decided by <span dir="auto">{entry.who}</span>.
        </p>
        <RowLinks entry={entry} />
      </div>
      <StepsOf entry={entry} />
      {fields.length > 0 && (
        <section className={classes.kept} aria-label="What the row keeps">
          <dl className={parts.facts}>
            {fields.map(({ label, value, isId }) => (
              <div key={label} className={classes.fact}>
                <dt>{label}</dt>
                <dd dir="auto" title={isId ? value : undefined}>
                  {isId ? <code>{shortId(value)}</code> : value}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      <p className={classes.foot}>
        row {grouped(entry.seq)} · {entry.subject.kind} {shortId(entry.subject.id)}
      </p>
    </>
  );
}

function NoSuchRow() {
  return (
    <Empty
      icon={IconZoomQuestion}
      title="There is no such row."
      act={<Link to="/ledger">See all</Link>}
    >
      The ledger has not come that far.
    </Empty>
  );
}
