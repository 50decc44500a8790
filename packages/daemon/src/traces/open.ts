// Traces, put together. Without an endpoint nothing of it runs; what happens meanwhile is never told, also not when there
// is one again.
import { headersIn } from '@relay/core/headers';
import type { TracesSettings } from '@relay/core/settings';
import { openEgress, placeOf } from '../egress/egress.ts';
import { fenced } from '../store/fenced.ts';
import { beginTracing, endTracing, tracingProgress } from '../store/traces/progress.ts';
import { Follower, type TracesWorld } from './follower.ts';

export interface TracesOptions extends Omit<TracesWorld, 'collector'> {
  readonly settings: TracesSettings;
}

/** Gives back how it is stopped. */
export async function startTraces({
  settings,
  ...world
}: TracesOptions): Promise<() => Promise<void>> {
  const { db, lease } = world;
  const { endpoint, headers } = settings;
  if (endpoint === null) {
    if ((await tracingProgress(db, lease.account)) !== null) {
      await fenced(db, lease, (tx) => endTracing(tx, lease.account));
    }
    return async () => {};
  }
  await fenced(db, lease, (tx) => beginTracing(tx, lease.account));
  const url = tracesUrl(endpoint);
  const follower = new Follower({
    ...world,
    collector: {
      url: url.href,
      headers: headersIn(headers ?? '') ?? {},
      // Most collectors stand inside; whoever may write the file of settings has chosen this one.
      egress: openEgress({ own: [placeOf(url)] }),
    },
  });
  follower.start();
  return () => follower.stop();
}

/** The endpoint is a base, as OpenTelemetry's variables have it, or the whole address. */
export function tracesUrl(endpoint: string): URL {
  const url = new URL(endpoint);
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  url.pathname = path.endsWith('/v1/traces') ? path : `${path}/v1/traces`;
  return url;
}
