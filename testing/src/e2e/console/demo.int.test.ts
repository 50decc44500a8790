// `relay demo` in a real Chromium: a message written on the phone page is answered there and appears in the console,
// and both link to each other. Both widths, both colour schemes; no complaints, and accessible.
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { builtIn } from '../built.ts';
import { type HeldDemo, holdScene, type SceneLine } from '../headless.ts';
import { expectNoSeriousFindings } from './axe.ts';
import { type ConsoleView, openChromium, openConsoleView } from './browser.ts';

let demo: HeldDemo<SceneLine>;
let browser: Browser;
let console: ConsoleView;
let phone: ConsoleView;

const at = (url: string) => ({ api: new URL(url).origin });

beforeAll(async () => {
  demo = await holdScene(join(await builtIn(inject('builds')), 'bin/relay.js'));
  browser = await openChromium();
  console = await openConsoleView(browser, at(demo.line.api));
  await console.page.goto(demo.line.console);
  phone = await openConsoleView(browser, at(demo.line.phone), { width: 1100, height: 800 });
  await phone.page.goto(demo.line.phone);
}, 300_000);
afterAll(async () => {
  await browser?.close();
  demo?.letGo();
  await demo?.ended;
}, 60_000);

const bubbles = (page: Page) => page.locator('#messages .bubble');
const field = (page: Page) => page.getByRole('textbox', { name: /^Message to/ });

it('answers what Mom writes, on her phone and in the console', async () => {
  const { page } = phone;
  await page.getByRole('heading', { name: 'Alex Moreno' }).waitFor();
  const before = await bubbles(page).count();
  await field(page).fill('Will you come for dinner on Sunday?');
  await field(page).press('Enter');
  await bubbles(page)
    .nth(before + 1)
    .waitFor();
  const answer =
    (await bubbles(page)
      .nth(before + 1)
      .locator('[dir]')
      .textContent()) ?? '';
  expect(answer).toMatch(/lovely|food/);
  await page
    .locator('.mine')
    .last()
    .getByText('read', { exact: true })
    .waitFor({ state: 'attached' });
  const { page: owner } = console;
  await owner.goto('/chats');
  await owner.getByRole('link', { name: /Mom/ }).first().click();
  await owner.getByText(answer).last().waitFor();
});

it('keeps text that could not be sent, and says why', async () => {
  const { page } = phone;
  await page.route('**/api/messages', (route) => route.abort());
  await field(page).fill('One more thing');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('It was not sent').waitFor();
  expect(await field(page).inputValue()).toBe('One more thing');
  await page.unroute('**/api/messages');
  await field(page).fill('');
});

it('renders messages as text, whatever they contain', async () => {
  const { page } = phone;
  const words = '<img src=x onerror=alert(1)><b>bold</b>';
  await page.getByRole('button', { name: /Kit/ }).click();
  await field(page).fill(words);
  await field(page).press('Enter');
  await bubbles(page).filter({ hasText: words }).waitFor();
  expect(await page.locator('#messages img, #messages b').count()).toBe(0);
});

it('can be used by keyboard alone', async () => {
  const { page } = phone;
  await page.getByRole('button', { name: /Rosa/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('You are Rosa, the plumber').waitFor();
  const before = await bubbles(page).count();
  await page.keyboard.type('About 140 euros with parts');
  await page.keyboard.press('Enter');
  await bubbles(page)
    .nth(before + 1)
    .waitFor();
  expect(
    await bubbles(page)
      .nth(before + 1)
      .textContent(),
  ).toMatch(/prepare|cleared/);
});

it('links from the console to the phone, and from the phone to the console', async () => {
  const { page: owner } = console;
  const opened = owner.context().waitForEvent('page');
  await owner.getByRole('link', { name: 'Open the phone beside it' }).click();
  const popup = await opened;
  await popup.getByRole('heading', { name: 'Alex Moreno' }).waitFor();
  expect(new URL(popup.url()).hash).toBe('');
  await popup.close();
  const back = phone.page.context().waitForEvent('page');
  await phone.page.getByRole('button', { name: 'Open the console' }).click();
  const second = await back;
  await second.getByText('nothing is real').waitFor();
  await second.close();
});

it.each([
  [1100, 'light'],
  [1100, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const)('is accessible at %i pixels in %s', async (width, scheme) => {
  const seen = await openConsoleView(browser, at(demo.line.phone), { width, height: 800, scheme });
  await seen.page.goto(demo.line.phone);
  for (const name of [/Mom/, /Morenos/]) {
    await seen.page.getByRole('button', { name }).click();
    await bubbles(seen.page).first().waitFor();
    await expectNoSeriousFindings(seen.page);
  }
  const overflows = 'document.documentElement.scrollWidth > innerWidth';
  expect(await seen.page.evaluate(overflows)).toBe(false);
  expect(seen.complaints).toEqual([]);
  await seen.close();
});

it('shows nothing to a browser without the token', async () => {
  const stranger = await openConsoleView(browser, at(demo.line.phone));
  await stranger.page.goto(new URL(demo.line.phone).origin);
  await stranger.page.getByText('at the address that `relay demo` printed').waitFor();
  expect(await bubbles(stranger.page).count()).toBe(0);
  await stranger.close();
});

it('reports that the demo has ended', async () => {
  demo.letGo();
  await demo.ended;
  await phone.page.getByText('The demo has ended').waitFor();
});
