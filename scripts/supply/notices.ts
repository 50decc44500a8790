// Collects the licence notices of bundled packages, which must be distributed with them. Invariant: a package without a
// licence text is listed with the author and licence it names.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Brought {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

const TEXT = /^(licen[cs]e|copying|notice)([-.].*)?$/i;

/** `folders` are those of packages, below `root`. */
export function notices(root: string, folders: Iterable<string>): string {
  const each = [...folders].map((folder) => noticeOf(join(root, folder)));
  return `# What Relay's own files contain of others\n\n${[...new Set(each)].sort().join('\n')}`;
}

function noticeOf(folder: string): string {
  const {
    name,
    version,
    license = '',
    author = '',
  }: Brought = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((file) => TEXT.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const by = typeof author === 'string' ? author : author.name;
  const said = texts.length > 0 ? texts : [`By ${by || 'its authors'}, under ${license}.`];
  return `## ${name} ${version} (${license})\n\n${said.join('\n\n')}\n`;
}
