// Compares the tests' citations with the manifest: pure functions behind scripts/requirements.ts. A requirement is
// cited when a test names it, and proven when a test that named it passed.
import type { Requirement } from './manifest.ts';

/** Test file → the ids it names. */
export type Citations = ReadonlyMap<string, readonly string[]>;

/** Test file → id → the titles of the passed tests that named it. Written by the reporter. */
export type Proofs = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** The ids that a test file names as literals: `verifies('AC-1.1', 'AC-1.2')`. */
export function citedIn(source: string): string[] {
  return [...source.matchAll(/\bverifies\(([^)]*)\)/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/(['"`])([^'"`]+)\1/g)].map(([, , id = '']) => id),
  );
}

const unique = (lists: Iterable<readonly string[]>): Set<string> => new Set([...lists].flat());

const provenIds = (proofs: Proofs): Set<string> =>
  unique(Object.values(proofs).map((file) => Object.keys(file)));

/** One sentence per problem; none when the manifest and the tests agree. */
export function problems(requirements: readonly Requirement[], citations: Citations): string[] {
  const known = new Set(requirements.map(({ id }) => id));
  const cited = unique(citations.values());
  const twice = requirements.filter(
    ({ id }, at) => requirements.findIndex((r) => r.id === id) < at,
  );
  return [
    ...twice.map(({ id, seed }) => `${id} is in the manifest twice (again in seed ${seed}).`),
    ...requirements
      .filter(({ id }) => !cited.has(id))
      .map(({ id, says }) => `No test cites ${id}: ${says}`),
    ...[...citations].flatMap(([file, ids]) =>
      ids
        .filter((id) => !known.has(id))
        .map((id) => `${file} cites ${id}, which is not a requirement.`),
    ),
  ];
}

/** Requirements that no passed test proved. `citations` are those of the test files that ran. */
export function unproven(
  requirements: readonly Requirement[],
  citations: Citations,
  proofs: Proofs,
): string[] {
  const cited = unique(citations.values());
  const proven = provenIds(proofs);
  return requirements
    .filter(({ id }) => cited.has(id) && !proven.has(id))
    .map(({ id, says }) => `No passed test proved ${id}: ${says}`);
}

/** Requirements that no file of the quick tier cites. */
export function nightlyOnly(requirements: readonly Requirement[], quick: Citations): string[] {
  const cited = unique(quick.values());
  return requirements.filter(({ id }) => !cited.has(id)).map(({ id }) => id);
}

/** A table of counts: one line per seed and one for all. */
export function table(
  requirements: readonly Requirement[],
  citations: Citations,
  proofs: Proofs,
): string {
  const cited = unique(citations.values());
  const proven = provenIds(proofs);
  const count = (name: string, rows: readonly Requirement[]): string[] => [
    name,
    String(rows.length),
    String(rows.filter(({ id }) => cited.has(id)).length),
    String(rows.filter(({ id }) => proven.has(id)).length),
  ];
  const seeds = [...new Set(requirements.map(({ seed }) => seed))];
  return [
    ['seed', 'total', 'cited', 'proven'],
    ...seeds.map((seed) =>
      count(
        seed,
        requirements.filter((one) => one.seed === seed),
      ),
    ),
    count('all', requirements),
  ]
    .map((cells) => cells.map((cell, at) => (at ? cell.padStart(8) : cell.padEnd(5))).join(''))
    .join('\n');
}
