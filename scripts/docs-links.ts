// Checks the links in the documentation without building the site (`npm run docs` builds it). A relative link must
// point to a file or folder of the repository. Anchors are not checked.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ROOT } from '../docs/.vitepress/pages.ts';

const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).sort();

/** Text without code, where brackets are not links. */
const prose = (page: string): string =>
  readFileSync(join(ROOT, page), 'utf8')
    .replace(/^( *)(```+|~~~+)[\s\S]*?^\1\2/gm, '')
    .replace(/(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, 'code');

function linksOf(page: string): string[] {
  const text = prose(page);
  const inline = text.matchAll(/\]\(<?([^\s)>]+)>?(?: "[^"]*")?\)/g);
  const references = text.matchAll(/^\[[^\]]+\]: +(\S+)/gm);
  return [...inline, ...references].map(([, href = '']) => href);
}

const isExternal = (href: string): boolean => /^[a-z]+:/.test(href);

function leadsSomewhere(page: string, href: string): boolean {
  const [path = ''] = href.split('#', 1);
  if (path === '') return true;
  const target = posix.join(posix.dirname(page), decodeURI(path));
  return !target.startsWith('..') && existsSync(join(ROOT, target));
}

const links = pages.flatMap((page) =>
  linksOf(page)
    .filter((href) => !isExternal(href))
    .map((href) => ({ page, href })),
);
const dead = links.filter(({ page, href }) => !leadsSomewhere(page, href));
for (const { page, href } of dead) console.error(`${page}: ${href} does not exist.`);
console.log(`${links.length} links on ${pages.length} pages, ${dead.length} dead.`);
if (dead.length > 0 || links.length === 0) process.exitCode = 1;
