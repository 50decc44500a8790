// Checks a lock file against the rules: pure, so that a test can show what is refused. Shipped packages and build
// dependencies are both checked, because either can do harm on install.
import { EXCEPTIONS, FAMILIES, LICENCES, LINKED, SCRIPTED } from './rules.ts';

export interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly link?: boolean;
  readonly dev?: boolean;
}

export interface Supplied {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly shipped: boolean;
}

export const PLACE = /^.*node_modules\//;

/** All external packages; our own are links. */
export function supplied(packages: Readonly<Record<string, LockedPackage>>): Supplied[] {
  return outside(packages).map(([name, locked]) => ({
    name,
    version: locked.version ?? '',
    licence: licenceOf(name, locked),
    shipped: locked.dev !== true,
  }));
}

/** One sentence for each package that is not allowed. */
export function faults(packages: Readonly<Record<string, LockedPackage>>): string[] {
  return outside(packages).flatMap(([name, locked]) => [
    ...scriptFault(name, locked),
    ...originFault(name, locked),
    ...licenceFault(name, locked),
  ]);
}

const outside = (packages: Readonly<Record<string, LockedPackage>>): [string, LockedPackage][] =>
  Object.entries(packages)
    .filter(([place, locked]) => PLACE.test(place) && locked.link !== true)
    .map(([place, locked]) => [place.replace(PLACE, ''), locked]);

function scriptFault(name: string, { hasInstallScript = false }: LockedPackage): string[] {
  if (!hasInstallScript || startsWithOneOf(name, SCRIPTED)) return [];
  return [
    `${name} runs a script when it is installed, and nobody has said why that is not needed.`,
  ];
}

function originFault(name: string, { resolved = '' }: LockedPackage): string[] {
  if (resolved === '' || /^https:\/\/.+\.tgz$/.test(resolved)) return [];
  return [`${name} comes from ${resolved}: only packages of the registry stay what they were.`];
}

function licenceFault(name: string, locked: LockedPackage): string[] {
  const licence = licenceOf(name, locked);
  if (name in EXCEPTIONS || startsWithOneOf(name, LINKED) || isAllowed(licence)) return [];
  return [`${name} is under ${licence || 'no licence that it names'}, which is not on the list.`];
}

const startsWithOneOf = (name: string, prefixes: Readonly<Record<string, string>>): boolean =>
  Object.keys(prefixes).some((prefix) =>
    /[/-]$/.test(prefix) ? name.startsWith(prefix) : name === prefix,
  );

function licenceOf(name: string, { license }: LockedPackage): string {
  if (license !== undefined) return license;
  const family = Object.keys(FAMILIES).find((prefix) => name.startsWith(prefix));
  return family === undefined ? '' : (FAMILIES[family] ?? '');
}

/** `A OR B`: one of them is enough; `A AND B`: each applies to a part. */
function isAllowed(expression: string): boolean {
  const plain = expression.replace(/[()]/g, '');
  return plain.split(' OR ').some((side) => side.split(' AND ').every((one) => LICENCES.has(one)));
}
