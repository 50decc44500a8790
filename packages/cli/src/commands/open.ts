// `relay open`: signs the owner in to the console, in their browser or with a one-time address.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import type { CliConfig } from '../config.ts';

export const openConsoleCommand: RunCommand = async ({ config, terminal, options }) => {
  const { url } = await clientOf(config.home).post('/api/login-codes');
  const opened = !options.print && !terminal.json && (await openBrowser(config, config.home, url));
  if (terminal.json) terminal.writeJson({ url, opened: false });
  else if (opened) terminal.writeLine('Opening the console in your browser.');
  else if (options.print) terminal.writeLine(url);
  else {
    terminal.writeLine('Open this address in your browser (valid once):');
    terminal.writeLine(url);
  }
  return 0;
};

// Opens a browser. The one-time address is passed in a page that only the owner can read, never on a command line that
// every user of the machine can see.

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** False when no browser can be shown. */
export async function openBrowser(
  { desktop }: Pick<CliConfig, 'desktop'>,
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
