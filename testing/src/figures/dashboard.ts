// Reads the shipped dashboard: each query under the title of its panel.
import { readFileSync } from 'node:fs';

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const FILE = new URL('../../../docs/grafana/relay.json', import.meta.url);

export interface DashboardQuery {
  readonly panel: string;
  readonly query: string;
}

export function dashboardQueries(): DashboardQuery[] {
  const { panels } = JSON.parse(readFileSync(FILE, 'utf8')) as { panels: readonly Panel[] };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ panel: title, query: expr })),
  );
}
