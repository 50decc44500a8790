// A local trace collector. It accepts only valid OTLP JSON, keeps the spans by id and all received bytes, and answers
// as the test says.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const nanos = z.string().regex(/^\d{19}$/);
const attribute = z.strictObject({
  key: z.string().regex(/^[a-z_]+(\.[a-z_]+)+$/),
  value: z.union([
    z.strictObject({ stringValue: z.string() }),
    z.strictObject({ intValue: z.string().regex(/^\d+$/) }),
  ]),
});
const spanSchema = z
  .strictObject({
    traceId: z.string().regex(/^(?!0+$)[\da-f]{32}$/),
    spanId: z.string().regex(/^(?!0+$)[\da-f]{16}$/),
    parentSpanId: z
      .string()
      .regex(/^(?!0+$)[\da-f]{16}$/)
      .exactOptional(),
    name: z.string().min(1),
    kind: z.int().min(1).max(5),
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes: z.array(attribute),
    events: z
      .array(z.strictObject({ timeUnixNano: nanos, name: z.string().min(1) }))
      .exactOptional(),
    status: z.strictObject({ code: z.literal(2) }).exactOptional(),
  })
  .refine(
    (span) => BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano),
    'ends too early',
  )
  .refine(({ attributes }) => new Set(attributes.map(({ key }) => key)).size === attributes.length);
const requestSchema = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: z.array(attribute) }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(spanSchema).min(1),
        }),
      ),
    }),
  ),
});

export type SpanSeen = z.infer<typeof spanSchema>;
export type Answer = (response: ServerResponse) => void;

export const answering =
  (status: number, body: object = {}, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));

export interface CollectorSeen {
  readonly port: number;
  readonly url: string;
  /** Every request as text: first line, headers and body. */
  readonly bytes: string[];
  readonly headers: Record<string, unknown>[];
  /** Spans of requests that were answered with 2xx, with repetitions. */
  readonly spans: SpanSeen[];
  readonly resources: Record<string, string>[];
  /** Errors in what was received. */
  readonly faults: string[];
  connections(): number;
  /** Each trace by its id. Throws when a parent is missing. */
  traces(): Map<string, SpanSeen[]>;
  answer: Answer;
  close(): Promise<void>;
}

export const wordsIn = ({ attributes }: Pick<SpanSeen, 'attributes'>): Record<string, string> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      'stringValue' in value ? value.stringValue : value.intValue,
    ]),
  );

export async function openCollector(at = 0): Promise<CollectorSeen> {
  let connections = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    seen.bytes.push(`${request.url} ${JSON.stringify(request.headers)} ${body}`);
    seen.headers.push(request.headers);
    const isRight =
      request.method === 'POST' &&
      request.url === '/v1/traces' &&
      request.headers['content-type'] === 'application/json';
    const parsed = requestSchema.safeParse(JSON.parse(body));
    if (!isRight || !parsed.success) {
      seen.faults.push(`${request.method} ${request.url} ${parsed.error?.message}`);
      response.writeHead(400).end();
      return;
    }
    response.once('finish', () => {
      if (response.statusCode >= 300) return;
      for (const { resource, scopeSpans } of parsed.data.resourceSpans) {
        seen.resources.push(wordsIn(resource));
        for (const { spans } of scopeSpans) seen.spans.push(...spans);
      }
    });
    seen.answer(response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const seen: CollectorSeen = {
    port,
    url: `http://127.0.0.1:${port}`,
    bytes: [],
    headers: [],
    spans: [],
    resources: [],
    faults: [],
    connections: () => connections,
    traces: () => whole(seen.spans),
    answer: answering(200),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return seen;
}

function whole(spans: readonly SpanSeen[]): Map<string, SpanSeen[]> {
  const traces = Map.groupBy(spans, ({ traceId }) => traceId);
  for (const [trace, its] of traces) {
    const ids = new Set(its.map(({ spanId }) => spanId));
    for (const { name, parentSpanId } of its)
      if (parentSpanId !== undefined && !ids.has(parentSpanId))
        throw new Error(`${name} of ${trace} has a parent that never came`);
  }
  return traces;
}
