// What happened over the last hours or days: messages in and out, how long answers took, what models used, and whose
// turn it was. All of it is one question to the daemon.
import type { Activity } from '@relay/core/api/activity';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { Card } from '../../parts/card.tsx';
import { Asked, LoadingLines } from '../../parts/places.tsx';
import { answersCharted, tokensCharted, trafficCharted, turnsCharted } from './activity-words.ts';
import { ChartCard } from './chart-card.tsx';
import classes from './charts.module.css';
import { activityQuery } from './queries.ts';
import { SPANS } from './search.ts';

export function useActivity() {
  const { hours = 24 } = useSearch({ strict: false });
  return useQuery(activityQuery(hours));
}

/** Beside the list of what waits. */
export function ActivityCharts() {
  const activity = useActivity();
  const isThere = activity.data !== undefined;
  if (!isThere) {
    return (
      <Card title="Messages" aside={<Spans />}>
        <Asked query={activity} what="The activity" loading={<LoadingLines lines={5} />}>
          {() => null}
        </Asked>
      </Card>
    );
  }
  return <Charts activity={activity.data} />;
}

function Charts({ activity }: { readonly activity: Activity }) {
  return (
    <>
      <ChartCard
        charted={trafficCharted(activity)}
        activity={activity}
        kind="bars"
        turn={0}
        aside={<Spans />}
      />
      <div className={classes.pair}>
        <ChartCard charted={answersCharted(activity)} activity={activity} kind="lines" turn={1} />
        <ChartCard
          charted={tokensCharted(activity)}
          activity={activity}
          kind="stacked-bars"
          turn={2}
        />
      </div>
    </>
  );
}

/** In the narrow column. */
export function TurnsCard() {
  const { data: activity } = useActivity();
  if (activity === undefined) return null;
  return (
    <ChartCard
      charted={turnsCharted(activity)}
      activity={activity}
      kind="areas"
      turn={3}
      height={120}
      aside={
        <Link className="small" to="/conversations">
          Board
        </Link>
      }
    />
  );
}

function Spans() {
  const { hours = 24 } = useSearch({ strict: false });
  return (
    <nav className={classes.spans} aria-label="How far back">
      {SPANS.map((span) => (
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
          {span.word}
        </Link>
      ))}
    </nav>
  );
}
