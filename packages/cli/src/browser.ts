// A browser for the owner. The one-time address reaches it through a page only the owner can read, never
// through a command line that every user of the machine sees.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config.ts';

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** False where none can show itself. */
export async function openBrowser(
  { desktop }: Pick<Config, 'desktop'>,
  home: string,
  url: string,
): Promise<boolean> {
  // A browser installed as a snap cannot read hidden folders.
  return desktop && !existsSync('/snap/bin/firefox') && show(writePage(home, url));
}

function writePage(home: string, url: string): string {
  const page = join(home, 'open.html');
  const safe = url.replace(/[&"<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  rmSync(page, { force: true });
  writeFileSync(
    page,
    `<!doctype html><meta charset="utf-8"><title>Relay</title><meta http-equiv="refresh" content="0;url=${safe}"><a href="${safe}">Open Relay</a>\n`,
    { mode: 0o600, flag: 'wx' },
  );
  return page;
}

async function show(page: string): Promise<boolean> {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const opener = spawn(program, [...args, page], { stdio: 'ignore', detached: true });
  opener.unref();
  return once(opener, 'spawn').then(
    () => true,
    () => false,
  );
}
