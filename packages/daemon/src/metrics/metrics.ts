// The figures of a daemon for Prometheus: what status says, what happened since the start, what models were asked,
// how requests were answered, and how the process is. Asked for seldom and read in a few cheap queries; what happens
// in between is counted from the event log.
import type { DaemonStatus } from '@relay/core/api/status';
import type { Log } from '@relay/core/log';
import type { EventLog } from '@relay/core/ports/event-log';
import type { Metrics } from '@relay/core/ports/metrics';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { ModelUse } from '../store/model-use.ts';
import { countEvents } from './events.ts';
import { statusFigures } from './figures.ts';
import { modelFigures } from './models.ts';

interface MetricsWorld {
  status(): Promise<DaemonStatus>;
  modelUse(): Promise<readonly ModelUse[]>;
  readonly events: EventLog;
  readonly log: Log;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function openMetrics(world: MetricsWorld): Metrics & { stop(): void } {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'relay_http_request_duration_seconds',
    help: 'How long requests of the API took to be answered. Streams count when they end.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  const showStatus = statusFigures(registry);
  const showModels = modelFigures(registry);
  const counting = countEvents(registry, world.events, world.log);
  return {
    contentType: registry.contentType,
    async text() {
      const [status, used] = await Promise.all([world.status(), world.modelUse()]);
      showStatus(status);
      showModels(used);
      return registry.metrics();
    },
    answered({ method, route, status, seconds }) {
      requests.observe({ method, route, status: String(status) }, seconds);
    },
    stop: () => counting.stop(),
  };
}
