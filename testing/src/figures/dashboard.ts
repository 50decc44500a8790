// Reads the shipped dashboard and alert rules: each query under the title of its panel or the name of its alert.
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

export const RULES_FOLDER = new URL('../../../docs/grafana/', import.meta.url);

/** Each rule has its expression on one line. */
export function alertQueries(): DashboardQuery[] {
  const text = readFileSync(new URL('relay.rules.yml', RULES_FOLDER), 'utf8');
  return [...text.matchAll(/- alert: (\w+)\n +expr: (.+)/g)].map(([, panel = '', query = '']) => ({
    panel,
    query,
  }));
}
