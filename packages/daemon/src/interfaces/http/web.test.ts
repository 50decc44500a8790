// Tests how the daemon serves the console: one document for every page, each time with a new nonce.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { CONSOLE_PAGES, PAGE_NONCE } from '@relay/core/console/pages';
import { removeFolder } from '@relay/testing/remove-folder';
import { expect, onTestFinished, test } from 'vitest';
import { standIns } from './testing/stand-ins.ts';
import { listening } from './testing/wire.ts';

const SCRIPT = `const words = '${'compressible '.repeat(100)}';`;

async function serving() {
  const webDirectory = await mkdtemp(join(tmpdir(), 'relay-web-'));
  onTestFinished(() => removeFolder(webDirectory));
  await mkdir(join(webDirectory, 'assets'));
  const document = `<meta property="csp-nonce" nonce="${PAGE_NONCE}"><link nonce="${PAGE_NONCE}">`;
  await writeFile(join(webDirectory, 'index.html'), document);
  await writeFile(join(webDirectory, 'assets', 'app-1a2b.js'), SCRIPT);
  return listening(standIns({ webDirectory }).deps);
}

test('serves the same document for every page of the console, without a session', async () => {
  const server = await serving();
  for (const page of CONSOLE_PAGES) {
    const { status, headers } = await server.call({ path: page.replace(/\$\w+/, '123') });
    expect({ page, status }).toEqual({ page, status: 200 });
    expect(headers['content-type']).toContain('text/html');
    expect(headers['cache-control']).toBe('no-store');
  }
});

test('gives each document its own nonce, for styles only', async () => {
  const server = await serving();
  const nonces = new Set<string>();
  for (let n = 0; n < 5; n += 1) {
    const { body, headers } = await server.call({ path: '/tools' });
    const policy = String(headers['content-security-policy']);
    const nonce = /style-src 'self' 'nonce-([\w-]{22})'/.exec(policy)?.[1] ?? '';
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(body.split(nonce)).toHaveLength(3);
    expect(body).not.toContain(PAGE_NONCE);
    nonces.add(nonce);
  }
  expect(nonces.size).toBe(5);
});

test('keeps paths that are neither page nor file behind the guard', async () => {
  const server = await serving();
  for (const path of ['/nothing', '/tools/more', '/index.html', '/assets/none.js', '/people/1']) {
    expect((await server.call({ path })).status).toBe(401);
  }
  const { status, headers } = await server.call({ path: '/assets/app-1a2b.js' });
  expect(status).toBe(200);
  expect(headers['cache-control']).toContain('immutable');
  expect(headers['content-security-policy']).toContain("style-src 'self';");
});

test('compresses a file for browsers that accept it, and for no others', async () => {
  const server = await serving();
  const path = '/assets/app-1a2b.js';
  for (let n = 0; n < 2; n += 1) {
    const asked = { 'accept-encoding': 'gzip, br' };
    const response = await server.open({ path, headers: asked });
    const bytes = await buffer(response);
    expect(response.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(bytes.length).toBeLessThan(SCRIPT.length / 5);
    expect(gunzipSync(bytes).toString()).toBe(SCRIPT);
  }
  const { body, headers } = await server.call({ path });
  expect(headers).not.toHaveProperty('content-encoding');
  expect(body).toBe(SCRIPT);
  expect((await server.call({ path, method: 'HEAD' })).status).toBe(200);
});
