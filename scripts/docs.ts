// `npm run docs`: builds the documentation site into dist-docs. Fails on a dead link, and on a page without the content
// security policy that blocks external resources.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vitepress';
import { POLICY } from '../docs/.vitepress/pages.ts';

const root = join(import.meta.dirname, '..');
const out = join(root, 'dist-docs');

await build(join(root, 'docs'));

const pages = globSync('**/*.html', { cwd: out });
const open = pages.filter((page) => !readFileSync(join(out, page), 'utf8').includes(POLICY));
for (const page of open) console.error(`${page} may load what is not ours: it has no policy.`);
console.log(`${pages.length} pages in dist-docs.`);
if (open.length > 0 || pages.length === 0) process.exitCode = 1;
