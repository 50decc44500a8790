// Formats a digest for the digest export: one segment for its text and one per fact, each with time, group and kind.
// Other tools read the field names: never rename one.

export interface ExportedDigest {
  readonly id: string;
  readonly kind: string;
  readonly group: string;
  readonly groupId: string;
  readonly start: Date;
  readonly end: Date;
  readonly madeAt: Date;
  readonly body: string;
  readonly facts: readonly {
    readonly kind: string;
    readonly text: string;
    readonly who: string | null;
    readonly when: string | null;
    readonly saidAt: Date;
  }[];
}

export interface DigestSegment {
  /** Stable for the same part of a digest, even if it is rewritten. */
  readonly id: string;
  readonly digest_id: string;
  readonly device_id: string;
  readonly segment: 'digest' | 'fact';
  /** `hourly` or `daily`; for a fact `decision`, `event`, `action_item` and so on. */
  readonly kind: string;
  readonly group: string;
  readonly group_id: string;
  /** When it was said; for a digest, the end of its period. */
  readonly time: string;
  readonly start?: string;
  readonly end?: string;
  readonly who?: string;
  readonly when?: string;
  readonly text: string;
}

export function digestSegments(digest: ExportedDigest, device: string): readonly DigestSegment[] {
  const { id, kind, group, groupId, start, end, body, facts } = digest;
  const common = { digest_id: id, device_id: device };
  const place = { group, group_id: groupId };
  return [
    {
      id,
      ...common,
      segment: 'digest',
      kind,
      ...place,
      time: end.toISOString(),
      start: start.toISOString(),
      end: end.toISOString(),
      text: body,
    },
    ...facts.map((fact, n) => ({
      id: `${id}/${n + 1}`,
      ...common,
      segment: 'fact' as const,
      kind: fact.kind,
      ...place,
      time: fact.saidAt.toISOString(),
      ...(fact.who === null ? {} : { who: fact.who }),
      ...(fact.when === null ? {} : { when: fact.when }),
      text: fact.text,
    })),
  ];
}

/** Valid in JSON, but line readers may take them for the end of a line. */
const BREAKS = /[\u2028\u2029\u0085]/g;

export const segmentLine = (segment: DigestSegment): string =>
  JSON.stringify(segment).replace(
    BREAKS,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
