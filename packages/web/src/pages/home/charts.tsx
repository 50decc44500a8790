// The charts, loaded after the page: no animation, no focus. Their data is also shown as text and, on demand, as a
// table.
import { AreaChart, BarChart, LineChart } from '@mantine/charts';
import '@mantine/charts/styles.layer.css';
import type { Activity } from '@relay/contract/api/activity';
import { memo } from 'react';
import type { Hue } from '../../theme/theme.ts';
import { bucketLabel, type ChartContent, tickLabel } from './copy.ts';

export type ChartKind = 'bars' | 'stacked-bars' | 'lines' | 'areas';

interface ChartProps {
  readonly kind: ChartKind;
  readonly charted: ChartContent;
  readonly activity: Activity;
  readonly height: number;
}

const STILL = { isAnimationActive: false } as const;
/** With a margin for the topmost label. */
const UNFOCUSED = { accessibilityLayer: false, margin: { top: 8 } } as const;

/** Re-rendered when its figures change, not on every refetch. */
export const Chart = memo(
  ChartDrawing,
  (before, after) => before.activity.buckets === after.activity.buckets,
);

function ChartDrawing({ kind, charted, activity, height }: ChartProps) {
  const { unit, buckets } = activity;
  const names = new Map(buckets.map(({ at }) => [at, bucketLabel(at, unit)]));
  const shared = {
    h: height,
    dataKey: 'at',
    data: buckets.map((bucket) => ({
      at: bucket.at,
      ...Object.fromEntries(
        charted.series.map(({ name }) => [name, charted.value(bucket, name)] as const),
      ),
    })),
    series: charted.series.map(({ name, label, hue }) => ({ name, label, color: hueColour(hue) })),
    valueFormatter: charted.formatValue,
    tickLine: 'none' as const,
    gridAxis: 'x' as const,
    strokeDasharray: '0',
    xAxisProps: {
      tickFormatter: (at: string) => tickLabel(at, unit),
      minTickGap: 18,
      interval: 'preserveEnd' as const,
    },
    yAxisProps: {
      tickFormatter: charted.formatTick,
      allowDecimals: false,
      width: 52,
      tickCount: 4,
    },
    tooltipProps: {
      ...STILL,
      labelFormatter: (at: unknown) => names.get(String(at)) ?? '',
    },
  };
  switch (kind) {
    case 'lines':
      return (
        <LineChart
          {...shared}
          curveType="linear"
          strokeWidth={2}
          dotProps={{ r: 3 }}
          lineProps={STILL}
          lineChartProps={UNFOCUSED}
          connectNulls
        />
      );
    case 'areas':
      return (
        <AreaChart
          {...shared}
          type="stacked"
          curveType="step"
          withGradient={false}
          fillOpacity={0.55}
          strokeWidth={1.5}
          withDots={false}
          areaProps={STILL}
          areaChartProps={UNFOCUSED}
        />
      );
    default:
      return (
        <BarChart
          {...shared}
          type={kind === 'stacked-bars' ? 'stacked' : 'default'}
          maxBarWidth={18}
          barProps={{ ...STILL, radius: kind === 'bars' ? [2, 2, 0, 0] : 0 }}
          barChartProps={{ ...UNFOCUSED, barGap: 1 }}
        />
      );
  }
}

// A hue's solid colour where no element carries it: used by the charts and their legends.

const hueColour = (hue: Hue): string => `var(--solid-${hue})`;
