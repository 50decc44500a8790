// The browser extension for linking with a WhatsApp passkey: small enough to be read before it is installed, and without
// rights that it does not need.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const FOLDER = resolve(import.meta.dirname, '../packages/web/extension');
const files = readdirSync(FOLDER);
const text = (name: string) => readFileSync(join(FOLDER, name), 'utf8');

test('the extension has at most 200 lines in all', () => {
  const lines = files.reduce((sum, name) => sum + text(name).split('\n').length - 1, 0);
  expect(lines).toBeLessThanOrEqual(200);
});

test('the extension may act on WhatsApp Web, beside pages of this machine, and where its button is clicked', () => {
  const { content_scripts, host_permissions, permissions, ...manifest } = JSON.parse(
    text('manifest.json'),
  );
  expect(host_permissions).toEqual(['https://web.whatsapp.com/*']);
  expect(permissions).toEqual(['activeTab', 'scripting']);
  expect(content_scripts.map(({ matches }: { matches: string[] }) => matches)).toEqual([
    ['http://127.0.0.1/*', 'http://localhost/*'],
  ]);
  expect(Object.keys(manifest).sort()).toEqual([
    'action',
    'background',
    'description',
    'manifest_version',
    'minimum_chrome_version',
    'name',
    'version',
  ]);
});

test('the extension stores nothing, talks to no server and runs no text as code', () => {
  const forbidden =
    /\bfetch\b|XMLHttpRequest|WebSocket|EventSource|sendBeacon|chrome\.storage|localStorage|indexedDB|\bcookie|\beval\b|new Function|innerHTML|https?:\/\/(?!web\.whatsapp\.com)/;
  for (const name of files.filter((file) => file.endsWith('.js'))) {
    expect(text(name), name).not.toMatch(forbidden);
  }
});
