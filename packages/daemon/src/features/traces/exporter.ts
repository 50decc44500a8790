// Exports finished work to the collector that the settings name. Loaded by `feature.ts` when an endpoint is set.

import { parseHeaderList, type TracesSettings } from '@relay/contract/settings';
import type { Log } from '@relay/core/log';
import { delayFor, RETRY } from '@relay/core/retry';
import type { Db } from '../../platform/db/database.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { transaction } from '../../platform/db/transaction.ts';
import {
  type Egress,
  EgressError,
  type EgressReason,
  hostAndPort,
  openEgress,
} from '../../platform/egress/egress.ts';
import { type NextLook, PollLoop } from '../../platform/poll-loop.ts';
import {
  advanceTracing,
  beginTracing,
  type FinishedWork,
  markTraced,
  readFinishedWork,
  readTraceProgress,
} from './finished-work.ts';
import { makeExportRequest, makeSpans } from './spans.ts';

export interface TraceExportOptions extends Omit<TraceExporterDeps, 'collector'> {
  readonly endpoint: string;
  readonly headers: TracesSettings['headers'];
}

/** Returns the function that stops it. */
export async function startTraceExport({
  endpoint,
  headers,
  ...deps
}: TraceExportOptions): Promise<() => Promise<void>> {
  await transaction(deps, ({ tx }) => beginTracing(tx, deps.lease.account));
  const url = tracesUrl(endpoint);
  const follower = new TraceExporter({
    ...deps,
    collector: {
      url: url.href,
      headers: parseHeaderList(headers ?? '') ?? {},
      // Most collectors are inside the owner's network, and whoever may edit the settings file has chosen this one.
      egress: openEgress({ ownHosts: [hostAndPort(url)] }),
    },
  });
  follower.start();
  return () => follower.stop();
}

/** The endpoint is a base URL, as in OpenTelemetry's variables, or the whole address. */
export function tracesUrl(endpoint: string): URL {
  const url = new URL(endpoint);
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  url.pathname = path.endsWith('/v1/traces') ? path : `${path}/v1/traces`;
  return url;
}

// Follows finished work while the daemon runs and sends it to the collector in batches, after it has happened and
// without delaying it. An unreachable collector is retried with growing delays; the data waits in the database.
// Invariant: the log says once that it is unreachable and once that it works again.

interface TraceExporterDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly log: Log;
  readonly version: string;
  readonly collector: TraceCollector;
  /** Polling interval; a few seconds by default. */
  readonly pollMs?: number;
}

const USUAL_POLL_MS = 3_000;
/** Turns per request; some hundred kilobytes. */
const BATCH = 50;
/** How often the progress is advanced at most. */
const MOVE_EVERY_MS = 60_000;

/** How long a running request may delay the daemon's stop. */
const LAST_ANSWER_MS = 2_000;

class TraceExporter {
  readonly #deps: TraceExporterDeps;
  readonly #aborting = new AbortController();
  readonly #loop = new PollLoop({
    look: () => this.#look(),
    failed: (error) => {
      this.#away('the database does not answer', error);
      return this.#later(0);
    },
  });
  #failures = 0;
  #movedAt = 0;
  /** The last logged problem with the collector; empty while it works. */
  #trouble = '';

  constructor(deps: TraceExporterDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    // Wait for a running request, so that what the collector received is marked as sent and not sent again.
    const enough = setTimeout(() => this.#aborting.abort(), LAST_ANSWER_MS);
    await this.#loop.stop();
    clearTimeout(enough);
  }

  async #look(): Promise<NextLook> {
    const { db, lease, version, collector, pollMs = USUAL_POLL_MS } = this.#deps;
    const progress = await readTraceProgress(db, lease.account);
    if (progress === null) return MOVE_EVERY_MS;
    const work = await readFinishedWork(db, lease.account, progress, BATCH);
    const spans = makeSpans(work);
    if (spans.length === 0) {
      await this.#move();
      return pollMs;
    }
    const { instance } = progress;
    const body = JSON.stringify(makeExportRequest({ version, instance }, spans));
    const sent = await sendSpans(collector, body, this.#aborting.signal);
    if (sent.kind === 'later') {
      this.#away(sent.reason);
      return this.#later(sent.afterMs);
    }
    this.#failures = 0;
    await transaction(this.#deps, ({ tx }) => markTraced(tx, lease.account, itemsOf(work)));
    this.#say(sent, spans.length);
    await this.#move();
    return work.turns.length === BATCH ? 'more' : pollMs;
  }

  async #move(): Promise<void> {
    const { lease } = this.#deps;
    if (Date.now() - this.#movedAt < MOVE_EVERY_MS) return;
    await transaction(this.#deps, ({ tx }) => advanceTracing(tx, lease.account));
    this.#movedAt = Date.now();
  }

  #later(askedMs: number): number {
    this.#failures += 1;
    return Math.max(
      askedMs,
      delayFor(RETRY.traces, this.#failures, Math.random()) ?? USUAL_POLL_MS,
    );
  }

  #away(reason: string, error?: unknown): void {
    if (this.#loop.isStopping || this.#trouble !== '') return;
    this.#trouble = reason;
    const fields = { reason, ...(error === undefined ? {} : { error }) };
    this.#deps.log.warn('trace export failed; retrying', fields);
  }

  #say(sent: Exclude<ExportResult, { kind: 'later' }>, count: number): void {
    const { log } = this.#deps;
    if (sent.kind === 'refused') {
      // Log the same refusal only once.
      if (this.#trouble !== sent.reason) log.warn('traces refused', { reason: sent.reason, count });
      this.#trouble = sent.reason;
      return;
    }
    if (sent.rejected > 0) log.warn('spans refused', { reason: sent.reason, count: sent.rejected });
    if (this.#trouble !== '') log.info('trace export works again', { count });
    this.#trouble = '';
  }
}

const itemsOf = ({ turns, messages }: FinishedWork) => [
  ...turns.map(({ id, startedAt: at }) => ({ id, at })),
  ...messages.map(({ id, createdAt: at }) => ({ id, at })),
];

// Sends one request to the collector and interprets the answer: accepted, to be retried, or refused for good. OTLP
// defines which is which; every other answer is final.

interface TraceCollector {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For addresses that the owner has configured. */
  readonly egress: Egress;
}

type ExportResult =
  | { readonly kind: 'taken'; readonly rejected: number; readonly reason: string }
  | { readonly kind: 'later'; readonly reason: string; readonly afterMs: number }
  | { readonly kind: 'refused'; readonly reason: string };

const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const RETRYABLE_REASONS: ReadonlySet<EgressReason> = new Set<EgressReason>([
  'unreachable',
  'unknown_name',
  'too_slow',
  'stopped',
]);
const TIMEOUT_MS = 10_000;
/** Maximum delay, even if the collector asks for a longer one. */
const LONGEST_MS = 300_000;

async function sendSpans(
  { url, headers, egress }: TraceCollector,
  body: string,
  signal: AbortSignal,
): Promise<ExportResult> {
  try {
    const answer = await egress(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    const reason = `the collector answered ${answer.status}`;
    if (RETRYABLE_STATUSES.has(answer.status)) {
      return { kind: 'later', reason, afterMs: askedFor(answer.headers['retry-after']) };
    }
    if (answer.status < 200 || answer.status > 299) return { kind: 'refused', reason };
    return { kind: 'taken', ...rejectedIn(answer.body) };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const { reason, message: why } = error;
    return RETRYABLE_REASONS.has(reason)
      ? { kind: 'later', reason: why, afterMs: 0 }
      : { kind: 'refused', reason: why };
  }
}

/** In seconds; a date is ignored. */
function askedFor(after: string | undefined): number {
  const seconds = Number(after ?? 0);
  return seconds > 0 ? Math.min(seconds * 1_000, LONGEST_MS) : 0;
}

/** How many spans the collector rejected, and why. */
function rejectedIn(body: Uint8Array): { rejected: number; reason: string } {
  try {
    const { partialSuccess } = JSON.parse(Buffer.from(body).toString()) as {
      partialSuccess?: { rejectedSpans?: unknown; errorMessage?: unknown };
    };
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    const reason = String(partialSuccess?.errorMessage ?? '').slice(0, 200);
    return { rejected: Number.isSafeInteger(rejected) ? rejected : 0, reason };
  } catch {
    return { rejected: 0, reason: '' };
  }
}
