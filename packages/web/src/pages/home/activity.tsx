// Charts of the last hours or days: messages, response times, model tokens, and turns. One request loads them all.

import { Button } from '@mantine/core';
import type { Activity } from '@relay/contract/api/activity';
import type { ActivityHours } from '@relay/contract/api/constants';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, useState } from 'react';
import { loadWhenReachable } from '../../data/lazy-load.ts';
import { nounKey } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { t } from '../../i18n.ts';
import { RenderWhenIdle } from '../../parts/deferred.tsx';
import { Card } from '../../parts/page.tsx';
import { LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { ACTIVITY_SPANS } from '../../search-params.ts';
import classes from './charts.module.css';
import type { ChartKind } from './charts.tsx';
import {
  answersChart,
  bucketLabel,
  type ChartContent,
  tokensChart,
  trafficChart,
  turnsChart,
} from './copy.ts';

export function useActivity() {
  const { hours = 24 } = useSearch({ strict: false });
  return useQuery(activityQuery(hours));
}

/** Beside the list of what is pending. */
export function ActivityCharts() {
  const activity = useActivity();
  const isThere = activity.data !== undefined;
  if (!isThere) {
    return (
      <Card title={t('home.messages')} aside={<ActivitySpanLinks />}>
        <QueryContent
          query={activity}
          subject={t('home.activity')}
          loading={<LoadingLines lines={5} />}
        >
          {() => null}
        </QueryContent>
      </Card>
    );
  }
  return <Charts activity={activity.data} />;
}

function Charts({ activity }: { readonly activity: Activity }) {
  return (
    <>
      <ChartCard
        charted={trafficChart(activity)}
        activity={activity}
        kind="bars"
        turn={0}
        aside={<ActivitySpanLinks />}
      />
      <div className={classes.pair}>
        <ChartCard charted={answersChart(activity)} activity={activity} kind="lines" turn={1} />
        <ChartCard
          charted={tokensChart(activity)}
          activity={activity}
          kind="stacked-bars"
          turn={2}
        />
      </div>
    </>
  );
}

/** In the narrow column. */
export function TurnsChartCard() {
  const { data: activity } = useActivity();
  if (activity === undefined) return null;
  return (
    <ChartCard
      charted={turnsChart(activity)}
      activity={activity}
      kind="areas"
      turn={3}
      height={120}
      aside={
        <Link className="small" to="/conversations">
          {t('home.turns.board')}
        </Link>
      }
    />
  );
}

function ActivitySpanLinks() {
  const { hours = 24 } = useSearch({ strict: false });
  return (
    <nav className={classes.spans} aria-label={t('home.span.label')}>
      {ACTIVITY_SPANS.map((span) => (
        <Link
          key={span.hours}
          to="/"
          search={span.hours === 24 ? {} : { hours: span.hours }}
          replace
          resetScroll={false}
          activeOptions={{ exact: true, includeSearch: true }}
          activeProps={{}}
          aria-current={span.hours === hours ? 'true' : undefined}
        >
          {t('home.span', { days: span.hours / 24 })}
        </Link>
      ))}
    </nav>
  );
}

// A card with a chart: a summary, a legend, and the figures as a table on demand. The chart loads
// when the page is idle; its space is reserved, so that nothing jumps.

const loadCharts = () => loadWhenReachable(() => import('./charts.tsx'));
const LazyChart = lazy(async () => ({ default: (await loadCharts()).Chart }));

interface ChartCardProps {
  readonly charted: ChartContent;
  readonly activity: Activity;
  readonly kind: ChartKind;
  readonly height?: number;
  /** Its place in the render order: one at a time, so that the charts never delay a click together. */
  readonly turn: number;
  readonly aside?: ReactNode;
}

function ChartCard({ charted, activity, kind, turn, height = 168, aside }: ChartCardProps) {
  const [asTable, setAsTable] = useState(false);
  const { title, summary, isEmpty, series } = charted;
  const Icon = asTable ? IconChartBar : IconTable;
  return (
    <Card title={title} aside={aside} className={classes.card ?? ''}>
      <p className="small dim">{summary}</p>
      {!isEmpty && (
        <>
          {asTable ? (
            <FiguresTable charted={charted} activity={activity} />
          ) : (
            <div className={classes.chart} style={{ height }} role="img" aria-label={summary}>
              <RenderWhenIdle after={100 + turn * 150}>
                <LazyChart kind={kind} charted={charted} activity={activity} height={height} />
              </RenderWhenIdle>
            </div>
          )}
          <div className={classes.under}>
            <ul className={classes.legend} aria-label={t('home.chart.legend')}>
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
              aria-label={t(asTable ? 'home.chart.chart.label' : 'home.chart.table.label', {
                title,
              })}
            >
              {t(asTable ? 'home.chart.chart' : 'home.chart.table')}
            </Button>
          </div>
        </>
      )}
    </Card>
  );
}

/** Newest first, which readers of figures look for. */
function FiguresTable({ charted, activity }: Pick<ChartCardProps, 'charted' | 'activity'>) {
  const { series, title, value, formatValue } = charted;
  const { buckets, unit } = activity;
  const shown = (number: number | null) => (number === null ? '–' : formatValue(number));
  return (
    <section
      className={classes.figures}
      aria-label={t('home.chart.region', { title })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is scrolled by keys too
      tabIndex={0}
    >
      <table className="num">
        <thead>
          <tr>
            <th scope="col">{t(unit === 'hour' ? 'home.chart.hour' : 'home.chart.day')}</th>
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
              <th scope="row">{bucketLabel(bucket.at, unit)}</th>
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

// The query that only Home uses.

export const activityQuery = (hours: ActivityHours) =>
  queryOptions({
    queryKey: nounKey('activity', hours),
    queryFn: ({ signal }) => relay.get('/api/activity', { signal, query: { hours } }),
    // Polled instead of refetched on events, so that a burst of messages costs no more than a quiet hour.
    refetchInterval: 10_000,
    placeholderData: keepPreviousData,
  });
