// Checks the licence, origin and install scripts of every package in the lock file, and fails with a sentence for each
// that is not allowed. With --out it also writes the bill of materials (CycloneDX) and the licence report beside the
// built package.
//   node scripts/supply.ts [--out <folder>]
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { faults, type Supplied, supplied } from './supply/judge.ts';
import { EXCEPTIONS, LINKED } from './supply/rules.ts';

const root = resolve(import.meta.dirname, '..');
const { values } = parseArgs({ options: { out: { type: 'string' } } });
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

function report(all: readonly Supplied[]): string {
  const shipped = all.filter((one) => one.shipped);
  const rows = shipped
    .map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`)
    .sort();
  const reasons = Object.entries({ ...EXCEPTIONS, ...LINKED }).map(
    ([name, reason]) => `- \`${name}\`: ${reason}`,
  );
  return [
    '# Licences of what Relay stands on',
    `${shipped.length} packages, those of other systems and of optional parts among them.`,
    `## Not simply permissive\n\n${reasons.join('\n')}`,
    `## All\n\n| package | version | licence |\n| --- | --- | --- |\n${rows.join('\n')}\n`,
  ].join('\n\n');
}

/** npm's own report of the lock file, without build dependencies. */
function billOfMaterials(): string {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--omit=dev'];
  return execFileSync(npm, args, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 });
}

const all = supplied(packages);
const found = faults(packages);
for (const fault of found) console.error(fault);
if (values.out !== undefined) {
  mkdirSync(values.out, { recursive: true });
  writeFileSync(join(values.out, 'sbom.cdx.json'), billOfMaterials());
  writeFileSync(join(values.out, 'LICENCES.md'), report(all));
}
const shipped = all.filter((one) => one.shipped).length;
console.log(`${all.length} packages, ${shipped} of them shipped; ${found.length} may not come in.`);
process.exitCode = found.length === 0 ? 0 : 1;
