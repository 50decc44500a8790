// `npm run dev` on a copy of the sources: a change of the console appears in the open page, a change of the daemon in
// its answers, and after Ctrl-C nothing is left. The checkout itself is never changed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../gateway.ts';
import { answers, processesOf } from '../traces.ts';
import { openChromium } from './browser.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
/** Only against hanging. */
const PATIENCE_MS = 240_000;

let folder: string;
let copy: string;
let dev: ChildProcess;
let output = '';
let browser: Browser;
let page: Page;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relay dev '));
  copy = join(folder, 'checkout');
  await copySources();
  await mkdir(join(folder, 'tmp'));
  dev = spawn('npm', ['run', '--silent', 'dev', '--', '--port', '0'], {
    cwd: copy,
    // Its own process group: a signal reaches all of it, as Ctrl-C in a terminal does.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: join(folder, 'tmp') },
  });
  for (const stream of [dev.stdout, dev.stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      output += piece;
    });
  }
  browser = await openChromium();
  page = await browser.newPage();
  await page.goto(await printed(/http:\/\/127\.0\.0\.1:\d+\/login\?code=\S+/));
}, PATIENCE_MS);

afterAll(async () => {
  await browser?.close();
  if (dev !== undefined && dev.exitCode === null && dev.signalCode === null) {
    const ended = once(dev, 'close');
    process.kill(-Number(dev.pid), 'SIGTERM');
    await ended;
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
}, PATIENCE_MS);

/** The npm packages are the checkout's, the workspace packages the copy's. */
async function copySources(): Promise<void> {
  const left = new Set(['node_modules', '.git', '.toolchain', 'dist', 'dist-docs', 'coverage']);
  for (const name of ['package.json', 'tsconfig.json', 'packages', 'scripts', 'testing']) {
    await cp(join(ROOT, name), join(copy, name), {
      recursive: true,
      filter: (path) => !left.has(basename(path)),
    });
  }
  await mkdir(join(copy, 'node_modules/@relay'), { recursive: true });
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (name === '@relay' || name === '.cache') continue;
    await symlink(join(ROOT, 'node_modules', name), join(copy, 'node_modules', name));
  }
  for (const name of ['cli', 'contract', 'core', 'daemon', 'simulator', 'web'])
    await symlink(join(copy, 'packages', name), join(copy, 'node_modules/@relay', name));
}

const printed = (pattern: RegExp, from = 0): Promise<string> =>
  eventually(
    `${pattern} in the output`,
    async () => {
      if (dev.exitCode !== null) throw new Error(output);
      return pattern.exec(output.slice(from))?.[0];
    },
    PATIENCE_MS,
  );

async function edit(file: string, from: string, to: string): Promise<void> {
  const path = join(copy, file);
  const source = await readFile(path, 'utf8');
  expect(source).toContain(from);
  await writeFile(path, source.replace(from, to));
}

interface Status {
  readonly whatsapp_connected: boolean;
}

const statusOf = (path: string) =>
  page.evaluate(async (to) => (await fetch(to)).status, path).catch(() => 0);

it(
  'shows the console, signed in and connected',
  async () => {
    await page.getByRole('heading', { level: 1 }).waitFor({ timeout: PATIENCE_MS });
    expect(await statusOf('/api/status')).toBe(200);
  },
  PATIENCE_MS,
);

it('refuses another page of this machine, like the daemon itself', async () => {
  const { origin } = new URL(page.url());
  const { status } = await fetch(`${origin}/api/login-codes`, {
    method: 'POST',
    headers: { origin: 'http://127.0.0.1:1' },
  });
  expect(status).toBe(403);
});

it(
  'updates a component in the open page without a reload',
  async () => {
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
    await edit('packages/web/src/shell/hold.tsx', '{label}</span>', '{label} now</span>');
    await page.getByText('Hold all sending now').first().waitFor({ timeout: PATIENCE_MS });
    expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
  },
  PATIENCE_MS,
);

it(
  'restarts the daemon when its source changes, with the account still linked',
  async () => {
    const before = output.length;
    const file = 'packages/daemon/src/interfaces/http/routes/sign-in.ts';
    await edit(file, "'/api/logout/everywhere'", "'/api/logout/all'");
    await printed(
      /^Restarting: packages\/daemon\/src\/interfaces\/http\/routes\/sign-in\.ts changed\.$/m,
      before,
    );
    await printed(/^Restarted\.$/m, before);
    expect(await statusOf('/api/status')).toBe(200);
    const post = (path: string) =>
      page.evaluate(async (to) => (await fetch(to, { method: 'POST' })).status, path);
    expect(await post('/api/logout/everywhere')).toBe(404);
    await eventually(
      'the link',
      () =>
        page.evaluate(async () => {
          const status = (await (await fetch('/api/status')).json()) as Status;
          return status.whatsapp_connected || undefined;
        }),
      PATIENCE_MS,
    );
  },
  PATIENCE_MS,
);

it(
  'prints why a daemon does not start, and starts it after the next change',
  async () => {
    const before = output.length;
    const file = 'packages/daemon/src/interfaces/http/routes/web.ts';
    await edit(file, 'export function contentPolicy', 'export function = contentPolicy');
    await printed(/Waiting for a change\.$/m, before);
    expect(output.slice(before)).toContain('SyntaxError');
    const broken = output.length;
    await edit(file, 'export function = contentPolicy', 'export function contentPolicy');
    await printed(/^Restarted\.$/m, broken);
    expect(await statusOf('/api/status')).toBe(200);
  },
  PATIENCE_MS,
);

it(
  'leaves no process, port or temporary file at Ctrl-C',
  async () => {
    const port = Number(new URL(page.url()).port);
    const closed = once(dev, 'close');
    process.kill(-Number(dev.pid), 'SIGINT');
    await closed;
    expect(await answers('127.0.0.1', port)).toBe(false);
    expect(await processesOf(folder)).toEqual([]);
    const left = (await readdir(join(folder, 'tmp'))).filter((name) => name.startsWith('relay'));
    expect(left).toEqual([]);
  },
  PATIENCE_MS,
);
