// A real Chromium that looks at the console: signs in with a login code as `relay open` does, and writes down whatever
// the page complains of. Invariant: a refusal by the content policy is never overlooked.
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Demo } from '../demo.ts';
import { findChromium } from './chromium.ts';

export async function openChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('There is no Chromium; set CHROMIUM to one.');
  return chromium.launch({ executablePath });
}

export interface ConsoleViewOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  /** Pixels of the picture for one of the page; a phone has two unless said. */
  readonly scale?: number;
  /** As for somebody whom movement troubles: what is on its way somewhere has arrived. */
  readonly isStill?: boolean;
}

export interface ConsoleView {
  readonly page: Page;
  /** What the page complained of: refusals by the content policy, errors, requests to elsewhere. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** A browser of its own, signed out. */
export async function openConsoleView(
  browser: Browser,
  { api }: Pick<Demo, 'api'>,
  { width = 1440, height = 900, scheme = 'light', scale, isStill = false }: ConsoleViewOptions = {},
): Promise<ConsoleView> {
  const isPhone = width < 600;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    baseURL: api,
    deviceScaleFactor: scale ?? (isPhone ? 2 : 1),
    hasTouch: isPhone,
    reducedMotion: isStill ? 'reduce' : 'no-preference',
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    // A refused request is said without its address.
    complaints.push(`${message.text()} ${message.location().url}`.trim());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(api) && !url.startsWith('data:')) complaints.push(`request to ${url}`);
  });
  return { page, complaints, close: () => context.close() };
}

/** As `relay open` does: a code that works once. */
export async function signIn({ page }: ConsoleView, { relay }: Pick<Demo, 'relay'>): Promise<void> {
  const { url } = await relay.ok<{ url: string }>('POST', '/api/login-codes');
  await page.goto(url);
}
