// A real Chromium at the console: signs in with a login code like `relay open`, and records the page's complaints.
// Invariant: a violation of the content policy is never missed.
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Demo } from '../demo.ts';
import { findChromium } from './chromium.ts';

export async function openChromium(args: readonly string[] = []): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('There is no Chromium; set CHROMIUM to one.');
  return chromium.launch({ executablePath, args: [...args] });
}

export interface ConsoleViewOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  /** Device pixels per CSS pixel; defaults to 2 on a phone. */
  readonly scale?: number;
  /** With reduced motion: animations are at their end. */
  readonly isStill?: boolean;
  /** The browser's language; defaults to British English, whose times are `14:20`. */
  readonly locale?: string;
}

export interface ConsoleView {
  readonly page: Page;
  /** The page's complaints: content policy violations, errors, requests to other hosts. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** A separate browser, signed out. */
export async function openConsoleView(
  browser: Browser,
  { api }: Pick<Demo, 'api'>,
  {
    width = 1440,
    height = 900,
    scheme = 'light',
    scale,
    isStill = false,
    locale = 'en-GB',
  }: ConsoleViewOptions = {},
): Promise<ConsoleView> {
  const isPhone = width < 600;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    locale,
    baseURL: api,
    deviceScaleFactor: scale ?? (isPhone ? 2 : 1),
    hasTouch: isPhone,
    reducedMotion: isStill ? 'reduce' : 'no-preference',
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    // The message of a refused request lacks its address.
    complaints.push(`${message.text()} ${message.location().url}`.trim());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(api) && !url.startsWith('data:')) complaints.push(`request to ${url}`);
  });
  return { page, complaints, close: () => context.close() };
}

/** Uses a one-time code, like `relay open`. */
export async function signIn({ page }: ConsoleView, { relay }: Pick<Demo, 'relay'>): Promise<void> {
  const { url } = await relay.ok<{ url: string }>('POST', '/api/login-codes');
  await page.goto(url);
}
