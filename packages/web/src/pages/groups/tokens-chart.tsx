// The bar chart with its library, loaded when it first comes into view.
import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import type { ObservedGroup } from '@relay/contract/api/observed-groups';
import { formatTokens } from './copy.ts';

const dated = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export function TokensChart({ days }: { readonly days: ObservedGroup['days'] }) {
  const data = days.map((day) => ({
    day: dated.format(Date.parse(`${day.day}T00:00:00Z`)),
    spent: day.tokens_spent,
    avoided: day.tokens_avoided,
  }));
  return (
    <BarChart
      h={170}
      data={data}
      dataKey="day"
      type="stacked"
      series={[
        { name: 'spent', color: 'light-dark(#16819a, #3fa3b8)' },
        { name: 'avoided', color: 'light-dark(#8d9093, #7f8a8f)' },
      ]}
      valueFormatter={formatTokens}
      gridAxis="x"
      tickLine="none"
      maxBarWidth={46}
      barProps={{ isAnimationActive: false }}
      // The table beside it gives the same data to screen readers; nothing here takes the focus.
      barChartProps={{ accessibilityLayer: false }}
    />
  );
}
