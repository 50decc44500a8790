// Figures for a monitor. Open to the owner, and to a token that may do this and nothing else with it.
import { z } from 'zod';
import type { App } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { refusals } from './responses.ts';

export function metricsRoutes(app: App, { metrics }: Pick<HttpDeps, 'metrics'>): void {
  app.get(
    '/metrics',
    {
      config: { access: 'monitor' },
      schema: {
        operationId: 'getMetrics',
        summary: 'Figures for Prometheus: numbers and kinds, nobody’s words or names',
        tags: ['daemon'],
        response: { 200: z.string(), ...refusals() },
      },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  );
}
