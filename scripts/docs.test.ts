import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import site from '../docs/.vitepress/config.ts';
import { destination } from '../docs/.vitepress/pages.ts';

it('a link between pages stays as it is in the repository', () => {
  expect(destination('docs/people.md', 'ledger.md#why')).toBe('ledger.md#why');
  expect(destination('README.md', 'docs/people.md')).toBe('docs/people.md');
  expect(destination('docs/people.md', '../SECURITY.md')).toBe('../SECURITY.md');
  expect(destination('docs/mcp.md', 'https://modelcontextprotocol.io')).toMatch(/^https/);
  expect(destination('docs/people.md', '#grant')).toBe('#grant');
});

it('a README becomes the page of its folder', () => {
  expect(destination('docs/people.md', '../README.md#why')).toBe('../index.md#why');
  expect(destination('README.md', 'docs/decisions/README.md')).toBe('docs/decisions/index.md');
});

it('a link to code or a folder is dropped, one to the API document is kept', () => {
  expect(destination('docs/client.md', '../examples')).toBeNull();
  expect(destination('README.md', 'testing/src/host.ts')).toBeNull();
  expect(destination('CONTRIBUTING.md', 'packages/web/README.md')).toBeNull();
  expect(destination('docs/conversations.md', 'api/openapi.json')).toBe('api/openapi.json');
});

it('every page is in the sidebar', () => {
  const root = join(import.meta.dirname, '..');
  const pages = globSync('docs/{,guides/,reference/}*.md', { cwd: root });
  const listed = JSON.stringify(site.themeConfig?.sidebar);
  const missing = pages.filter((page) => !listed.includes(`"/${page.replace(/\.md$/, '')}"`));
  expect(missing).toEqual([]);
});
