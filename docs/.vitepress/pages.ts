// Which files of the repository are pages of the site, and what becomes of a link that leads to none.
// Invariant: a link that works in the repository works on the site, or is shown as plain words there.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { DefaultTheme, MarkdownRenderer } from 'vitepress';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

export const ROOT = join(import.meta.dirname, '../..');

/** Nothing comes from elsewhere. The two inline scripts are VitePress's own: light or dark, and the names of its files. */
export const POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

/** Pages that stand for their folder. Others link to them by the name they have in the repository. */
export const REWRITES: Readonly<Record<string, string>> = {
  'README.md': 'index.md',
  'docs/decisions/README.md': 'docs/decisions/index.md',
};

/** Served as they are, beside the pages. */
export const FILES: readonly string[] = ['docs/api/openapi.json'];

const isPage = (path: string): boolean => /^(docs\/.+|[A-Z]+)\.md$/.test(path);

/** A decision's own heading, as `0001. Use PostgreSQL as the only store`. */
export function decisions(): DefaultTheme.SidebarItem[] {
  const folder = join(ROOT, 'docs/decisions');
  const names = readdirSync(folder).filter((name) => /^\d{4}-.*\.md$/.test(name));
  return names.sort().map((name) => {
    const [heading = name] = readFileSync(join(folder, name), 'utf8').split('\n', 1);
    return { text: heading.replace(/^# /, ''), link: `/docs/decisions/${name.replace('.md', '')}` };
  });
}

/** Where a link of a page leads on the site; null where the site has nothing of it. */
export function destination(page: string, href: string): string | null {
  if (/^([a-z]+:|#|\/)/.test(href)) return href;
  const [path = '', anchor] = href.split('#', 2);
  const target = posix.join(posix.dirname(page), decodeURI(path));
  if (FILES.includes(target)) return href;
  if (!isPage(target)) return null;
  const rewritten = REWRITES[target];
  const to = rewritten === undefined ? path : posix.relative(posix.dirname(page), rewritten);
  return anchor === undefined ? to : `${to}#${anchor}`;
}

/** Code and folders are no pages: their links become the words they stand on. Braces in code are no templates. */
export function asInTheRepository(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('as_in_the_repository', ({ tokens, env }) => {
    for (const { children } of tokens) mend(children ?? [], String(env.relativePath ?? ''));
  });
}

function mend(tokens: Token[], page: string): void {
  let dropped = false;
  for (const token of tokens) {
    if (token.type === 'code_inline') token.attrSet('v-pre', '');
    if (token.type === 'link_open') {
      const to = destination(page, String(token.attrGet('href')));
      dropped = to === null;
      if (to !== null) token.attrSet('href', to);
    }
    if (dropped && /^link_(open|close)$/.test(token.type)) token.type = 'text';
  }
}
