// A card with a chart: the sentence that tells the same, the legend, and the figures as a table for whoever asks. The
// chart comes when the page is at rest; its place is kept, so that nothing jumps.
import { Button } from '@mantine/core';
import type { Activity } from '@relay/core/api/activity';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import { lazy, type ReactNode, useState } from 'react';
import { fetched } from '../../data/fetched.ts';
import { Card } from '../../parts/card.tsx';
import { Later } from '../../parts/later.tsx';
import { bucketName, type Charted, spanOf } from './activity-words.ts';
import classes from './charts.module.css';
import type { ChartKind } from './charts.tsx';

const charts = () => fetched(() => import('./charts.tsx'));
const Chart = lazy(async () => ({ default: (await charts()).Chart }));

interface ChartCardProps {
  readonly charted: Charted;
  readonly activity: Activity;
  readonly kind: ChartKind;
  readonly height?: number;
  /** Its turn to be drawn: one at a time, so that none keeps a press waiting for the others. */
  readonly turn: number;
  readonly aside?: ReactNode;
}

export function ChartCard({ charted, activity, kind, turn, height = 168, aside }: ChartCardProps) {
  const [asTable, setAsTable] = useState(false);
  const { title, summary, isEmpty, series } = charted;
  const Icon = asTable ? IconChartBar : IconTable;
  return (
    <Card title={title} aside={aside} className={classes.card ?? ''}>
      <p className="small dim">{summary}</p>
      {!isEmpty && (
        <>
          {asTable ? (
            <Figures charted={charted} activity={activity} />
          ) : (
            <div className={classes.chart} style={{ height }} role="img" aria-label={summary}>
              <Later after={100 + turn * 150}>
                <Chart kind={kind} charted={charted} activity={activity} height={height} />
              </Later>
            </div>
          )}
          <div className={classes.under}>
            <ul className={classes.legend} aria-label="Legend">
              {series.map(({ name, label, hue }) => (
                <li key={name} data-hue={hue}>
                  {label}
                </li>
              ))}
            </ul>
            <Button
              className={classes.turn ?? ''}
              size="compact-xs"
              variant="subtle"
              color="gray"
              onClick={() => setAsTable(!asTable)}
              leftSection={<Icon size={14} stroke={1.7} aria-hidden />}
              aria-label={`${title} as a ${asTable ? 'chart' : 'table'}`}
            >
              {asTable ? 'Chart' : 'Table'}
            </Button>
          </div>
        </>
      )}
    </Card>
  );
}

/** Newest first: that is what somebody who reads figures looks for. */
function Figures({ charted, activity }: Pick<ChartCardProps, 'charted' | 'activity'>) {
  const { series, title, value, says } = charted;
  const { buckets, unit } = activity;
  const shown = (number: number | null) => (number === null ? '–' : says(number));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is scrolled by keys too
    <section className={classes.figures} aria-label={`${title}, ${spanOf(activity)}`} tabIndex={0}>
      <table className="num">
        <thead>
          <tr>
            <th scope="col">{unit === 'hour' ? 'Hour' : 'Day'}</th>
            {series.map(({ name, label }) => (
              <th scope="col" key={name}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.toReversed().map((bucket) => (
            <tr key={bucket.at}>
              <th scope="row">{bucketName(bucket.at, unit)}</th>
              {series.map(({ name }) => (
                <td key={name}>{shown(value(bucket, name))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
