import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadOwnerToken, replaceOwnerToken } from './state-files.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'relay token '));
});
afterEach(() => removeFolder(home));

test('creates a 256-bit token once and keeps it, readable by the owner only', async () => {
  const token = await loadOwnerToken(home);
  expect(token).toMatch(/^relay_[\w-]{43}$/);
  expect(await loadOwnerToken(home)).toBe(token);
  expect(statSync(join(home, 'token')).mode & 0o777).toBe(0o600);
});

test('rotates to a different token and keeps the new one', async () => {
  const first = await loadOwnerToken(home);
  const second = await replaceOwnerToken(home);
  expect(second).not.toBe(first);
  expect(await loadOwnerToken(home)).toBe(second);
  expect(readFileSync(join(home, 'token'), 'utf8')).toBe(`${second}\n`);
});

test('replaces a damaged token', async () => {
  writeFileSync(join(home, 'token'), 'relay_short');
  expect(await loadOwnerToken(home)).toMatch(/^relay_[\w-]{43}$/);
});
