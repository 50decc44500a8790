// What is written about the tools for people is what the tools are.
import { readFileSync } from 'node:fs';
import { SCOPE_DESCRIPTIONS } from '@relay/contract/policy/scopes';
import { expect, test } from 'vitest';
import { CLIENT_TOOLS } from './call.ts';

const page = (name: string) =>
  readFileSync(new URL(`../../../../../docs/${name}`, import.meta.url), 'utf8');
const rows = (text: string): (readonly [string, string])[] =>
  [...text.matchAll(/^\| `([a-z_:]+)` +\| (.+?) +\|/gm)].map(
    ([, first = '', second = '']) => [first, second] as const,
  );

test('docs/mcp.md has every tool with its scope, and no other', () => {
  const written = rows(page('mcp.md')).filter(([, scope]) => /^`[a-z]+:[a-z]+`$/.test(scope));
  const tools = [...CLIENT_TOOLS.values()].map(({ name, scope }) => [name, `\`${scope}\``]);
  expect(written.sort()).toEqual(tools.sort());
});

/** A page of figures, and no tool. */
const MONITOR = 'metrics:read';

test('docs/tokens.md has every scope with the tools that it opens, and every scope but one opens some', () => {
  const written = new Map(rows(page('tokens.md')).filter(([scope]) => scope.includes(':')));
  expect([...written.keys()].sort()).toEqual(Object.keys(SCOPE_DESCRIPTIONS).sort());
  for (const [scope, names] of written) {
    const opened = [...CLIENT_TOOLS.values()].filter((tool) => tool.scope === scope);
    expect(opened.length > 0).toBe(scope !== MONITOR);
    for (const { name } of opened) expect(names).toContain(`\`${name}\``);
  }
});
