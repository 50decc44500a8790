// The rows that a story is told from, in their order, as steps; the one that is looked at is marked.
import type { LedgerLine } from '@relay/core/api/ledger';
import { Link } from '@tanstack/react-router';
import { useNow } from '../../data/use-now.ts';
import { grouped } from '../../parts/numbers.ts';
import { outcomeShown } from '../../parts/outcomes.ts';
import classes from './ledger.module.css';
import { capital, rowTime, stepWords } from './words.ts';

interface StepsProps {
  readonly rows: readonly LedgerLine[];
  readonly current?: number;
}

export function Steps({ rows, current }: StepsProps) {
  const now = useNow(60_000);
  return (
    <ol className={classes.steps}>
      {rows.map((row) => {
        const { word, hue, icon: Icon } = outcomeShown(row.outcome);
        return (
          <li key={row.seq} aria-current={row.seq === current ? 'step' : undefined}>
            <span className={classes.dot} data-hue={hue}>
              <Icon size={13} stroke={2.5} aria-hidden />
            </span>
            <div>
              <b dir="auto">
                {capital(row.who)}: {row.what}
              </b>
              <p dir="auto">{row.seq === current ? `${word}.` : stepWords(word, row)}</p>
              <small className="num">
                {rowTime(row.at, now).time} ·{' '}
                {row.seq === current ? (
                  `row ${grouped(row.seq)}`
                ) : (
                  <Link to="/ledger/$row" params={{ row: String(row.seq) }} resetScroll={false}>
                    row {grouped(row.seq)}
                  </Link>
                )}
              </small>
            </div>
          </li>
        );
      })}
    </ol>
  );
}
