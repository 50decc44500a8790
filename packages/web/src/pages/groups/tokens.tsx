// What reading cost and spared, day by day: bars, one sentence, and the same as a table.
import { Button, Skeleton } from '@mantine/core';
import type { ObservedGroup } from '@relay/core/api/observed-groups';
import { lazy, Suspense, useState } from 'react';
import { fetched } from '../../data/fetched.ts';
import { useNow } from '../../data/use-now.ts';
import { Card } from '../../parts/card.tsx';
import { grouped } from '../../parts/numbers.ts';
import { dayOf } from '../../parts/times.ts';
import classes from './groups.module.css';
import { tokensSummary } from './words.ts';

const charts = () => fetched(() => import('./tokens-chart.tsx'));
const Chart = lazy(async () => ({ default: (await charts()).TokensChart }));

export function TokensCard({ days }: { readonly days: ObservedGroup['days'] }) {
  const [isTable, setTable] = useState(false);
  const nothing = days.every((day) => day.tokens_spent + day.tokens_avoided === 0);
  return (
    <Card
      title="Tokens per day"
      aside={
        !nothing && (
          <Button variant="subtle" color="gray" size="xs" onClick={() => setTable(!isTable)}>
            {isTable ? 'Show bars' : 'Show table'}
          </Button>
        )
      }
    >
      <p className="small dim">{tokensSummary(days)}</p>
      {!nothing && (isTable ? <Table days={days} /> : <Bars days={days} />)}
    </Card>
  );
}

function Bars({ days }: { readonly days: ObservedGroup['days'] }) {
  return (
    <div aria-hidden className={classes.chart}>
      <p className={classes.legend}>
        <span data-hue="agent">spent</span>
        <span data-hue="parked">avoided by the filter</span>
      </p>
      <Suspense fallback={<Skeleton height={160} />}>
        <Chart days={days} />
      </Suspense>
    </div>
  );
}

function Table({ days }: { readonly days: ObservedGroup['days'] }) {
  const now = useNow(60_000);
  return (
    <table className={`${classes.table} num`}>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Told of</th>
          <th scope="col">Noise</th>
          <th scope="col">Spent</th>
          <th scope="col">Avoided</th>
        </tr>
      </thead>
      <tbody>
        {days.map((day) => (
          <tr key={day.day}>
            <th scope="row">{dayOf(`${day.day}T12:00:00`, now)}</th>
            <td>{grouped(day.messages_kept)}</td>
            <td>{grouped(day.messages_cut)}</td>
            <td>{grouped(day.tokens_spent)}</td>
            <td>{grouped(day.tokens_avoided)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
