// Spans as OTLP writes them in JSON: ids in hexadecimal, times and whole numbers as strings. Ids are made of what a span
// is about, so that one that is sent again is the same span. Pure.
import { createHash } from 'node:crypto';

/** A name with a word, a count, or nothing. */
export type Attributes = Readonly<Record<string, string | number | null>>;

export interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}

export interface SpanEvent {
  readonly timeUnixNano: string;
  readonly name: string;
}

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly events?: readonly SpanEvent[];
  readonly status?: { readonly code: number };
}

export const INTERNAL = 1;
/** Handed to somebody who takes it later. */
export const PRODUCER = 4;
const ERROR = 2;

export const traceIdOf = (uuid: string): string => uuid.replaceAll('-', '');

export const spanIdOf = (trace: string, kind: string, id: string | number): string =>
  createHash('sha256').update(`${trace}/${kind}/${id}`).digest('hex').slice(0, 16);

export interface NewSpan {
  readonly trace: string;
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  readonly kind?: number;
  readonly from: Date;
  readonly to: Date;
  readonly attributes: Attributes;
  readonly events?: Readonly<Record<string, Date | null>>;
  readonly failed?: boolean;
}

export function spanOf({ trace, id, parent, name, from, to, ...rest }: NewSpan): Span {
  const { kind = INTERNAL, attributes, events = {}, failed = false } = rest;
  const happened = Object.entries(events).flatMap(([event, at]) =>
    at === null ? [] : [{ timeUnixNano: nanos(at), name: event }],
  );
  return {
    traceId: trace,
    spanId: id,
    ...(parent === null ? {} : { parentSpanId: parent }),
    name,
    kind,
    startTimeUnixNano: nanos(from),
    // Rows are stamped by the database and by the daemon, and two clocks are never one.
    endTimeUnixNano: nanos(later(from, to)),
    attributes: toAttributes(attributes),
    ...(happened.length === 0 ? {} : { events: happened }),
    ...(failed ? { status: { code: ERROR } } : {}),
  };
}

export const later = (one: Date, ...others: readonly Date[]): Date =>
  new Date(Math.max(+one, ...others.map(Number)));

const nanos = (at: Date): string => `${BigInt(+at) * 1_000_000n}`;

const toAttributes = (attributes: Attributes): Attribute[] =>
  Object.entries(attributes).flatMap(([key, value]): Attribute[] => {
    if (value === null) return [];
    return typeof value === 'string'
      ? [{ key, value: { stringValue: value } }]
      : [{ key, value: { intValue: String(Math.trunc(value)) } }];
  });

export interface Home {
  readonly version: string;
  /** A random name of this home. */
  readonly instance: string;
}

/** The body of one request. */
export const exportRequest = ({ version, instance }: Home, spans: readonly Span[]): object => ({
  resourceSpans: [
    {
      resource: {
        attributes: toAttributes({
          'service.name': 'relay',
          'service.version': version,
          'service.instance.id': instance,
        }),
      },
      scopeSpans: [{ scope: { name: 'relay', version }, spans }],
    },
  ],
});
