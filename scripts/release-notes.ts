// Checks that a tag names the version of package.json, and prints that version's section of the changelog.
//   node scripts/release-notes.ts v0.1.0
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readManifest } from './build/manifest.ts';

const root = resolve(import.meta.dirname, '..');

function releaseNotes(tag: string): string {
  const { version } = readManifest(root);
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, package.json says ${version}.`);
  const changelog = readFileSync(resolve(root, 'CHANGELOG.md'), 'utf8');
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`[${version}]`));
  const [heading = '', ...lines] = section?.split('\n') ?? [];
  if (!/\d{4}-\d{2}-\d{2}$/.test(heading)) {
    throw new Error(`CHANGELOG.md has no dated section for ${version}.`);
  }
  return lines.join('\n').trim();
}

try {
  console.log(releaseNotes(process.argv[2] ?? ''));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
