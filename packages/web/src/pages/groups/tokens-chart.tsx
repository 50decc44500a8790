// The bar chart with its library, loaded when it first comes into view.
import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import type { ObservedGroup } from '@relay/contract/api/observed-groups';
import { formatLocale, t } from '../../i18n.ts';
import { formatTokens } from './copy.ts';

export function TokensChart({ days }: { readonly days: ObservedGroup['days'] }) {
  const shortDate = new Intl.DateTimeFormat(formatLocale(), {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
  const data = days.map((day) => ({
    day: shortDate.format(Date.parse(`${day.day}T00:00:00Z`)),
    used: day.tokens_spent,
    saved: day.tokens_avoided,
  }));
  return (
    <BarChart
      h={170}
      data={data}
      dataKey="day"
      type="stacked"
      series={[
        {
          name: 'used',
          label: t('groups.usage.legendUsed'),
          color: 'light-dark(#16819a, #3fa3b8)',
        },
        {
          name: 'saved',
          label: t('groups.usage.legendSaved'),
          color: 'light-dark(#8d9093, #7f8a8f)',
        },
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
