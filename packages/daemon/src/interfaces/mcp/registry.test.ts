// Checks that the documentation of the tools matches the tools.
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

test('lists every tool with its scope in docs/mcp.md, and no other', () => {
  const written = rows(page('mcp.md')).filter(([, scope]) => /^`[a-z]+:[a-z]+`$/.test(scope));
  const tools = [...CLIENT_TOOLS.values()].map(({ name, scope }) => [name, `\`${scope}\``]);
  expect(written.sort()).toEqual(tools.sort());
});

/** These scopes are for routes and no tool. */
const WITHOUT_TOOLS = [
  'metrics:read',
  'events:read',
  'webhooks:write',
  'approvals:read',
  'media:read',
  'media:write',
];

test('lists every scope with its tools in docs/tokens.md', () => {
  const written = new Map(rows(page('tokens.md')).filter(([scope]) => scope.includes(':')));
  expect([...written.keys()].sort()).toEqual(Object.keys(SCOPE_DESCRIPTIONS).sort());
  for (const [scope, names] of written) {
    const opened = [...CLIENT_TOOLS.values()].filter((tool) => tool.scope === scope);
    expect(opened.length > 0).toBe(!WITHOUT_TOOLS.includes(scope));
    for (const { name } of opened) expect(names).toContain(`\`${name}\``);
  }
});
