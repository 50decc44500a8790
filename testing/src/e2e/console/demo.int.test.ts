// `relay demo` in a real Chromium: the tour of the console, the assistant's suggestions, and messages written on the
// phone page that are answered there and appear in the console. Both widths, both colour schemes; no complaints, and
// accessible.
import { join } from 'node:path';
import { verifies } from '@relay/testing/verifies';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { builtIn } from '../built.ts';
import { Gateway } from '../gateway.ts';
import { type HeldDemo, holdScene, type SceneLine } from '../headless.ts';
import { expectNoSeriousFindings } from './axe.ts';
import { type ConsoleView, openChromium, openConsoleView, signIn } from './browser.ts';
import { evaluate } from './evaluate.ts';

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
const tour = (page: Page) => page.getByRole('region', { name: 'Tour of the demo' });
const OVERFLOWS = 'document.documentElement.scrollWidth > innerWidth';

/** Each step of the tour, and a heading of the page that its link opens. */
const STEPS = [
  { title: 'Automatic replies', link: 'Open this chat', heading: 'Mom' },
  { title: 'Approve a draft', link: 'Open this draft', heading: /Dana Whitfield/ },
  { title: 'Watch a conversation', link: 'Open this conversation', heading: /Get a quote/ },
  { title: 'Read a digest', link: 'Open this digest', heading: 'Decisions' },
  { title: 'Ask why', link: 'Show the reason', heading: 'Mom' },
] as const;

it('guides a visitor through five steps, and stays away once it is finished', async () => {
  const { page } = console;
  const button = (name: string) => tour(page).getByRole('button', { name, exact: true });
  for (const [index, { title, link, heading }] of STEPS.entries()) {
    if (index > 0) await button('Next').click();
    await tour(page)
      .getByText(`Step ${index + 1} of 5`)
      .waitFor();
    await tour(page).getByRole('heading', { name: title }).waitFor();
    await tour(page).getByRole('link', { name: link }).click();
    await page.locator('#main').getByRole('heading', { name: heading }).first().waitFor();
    // What to do now stands out: to go on, once the page is open.
    await tour(page).locator('button[data-variant="filled"]').waitFor();
  }
  await button('Back').click();
  await tour(page).getByText('Step 4 of 5').waitFor();
  await button('Next').click();
  await button('Finish tour').click();
  await expect.poll(() => tour(page).count()).toBe(0);
  await page.locator('#main h1:focus').waitFor();

  await page.reload();
  await page.getByRole('link', { name: 'Open the simulated phone' }).waitFor();
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await evaluate(page, "localStorage.getItem('relay-tour')")).toBe('done');
  expect(await tour(page).count()).toBe(0);
}, 60_000);

it.each([
  [1440, 'light'],
  [390, 'dark'],
] as const)('shows the tour at %i pixels in %s until Escape is pressed', async (width, scheme) => {
  const { api, token } = demo.line;
  const relay = new Gateway(() => ({ port: Number(new URL(api).port), token }));
  const seen = await openConsoleView(browser, at(api), { width, height: 844, scheme });
  await signIn(seen, { relay });
  const shown = tour(seen.page);
  await shown.getByText('Step 1 of 5').waitFor();
  await expectNoSeriousFindings(seen.page);
  expect(await evaluate(seen.page, OVERFLOWS)).toBe(false);
  await shown.getByRole('button', { name: 'Next', exact: true }).press('Enter');
  await shown.getByText('Step 2 of 5').waitFor();
  await shown.getByRole('button', { name: 'Back', exact: true }).press('Enter');
  await shown.getByText('Step 1 of 5').waitFor();
  // The first step has no button to go back, so the focus moves to the other one.
  await shown.locator('button:focus', { hasText: 'Next' }).waitFor();
  await seen.page.keyboard.press('Escape');
  await expect.poll(() => shown.count()).toBe(0);
  expect(seen.complaints).toEqual([]);
  await seen.close();
});

it('answers the suggestions of the assistant', async () => {
  const { page } = console;
  await page.goto('/assistant');
  const ask = page.getByRole('textbox', { name: 'Ask your assistant' });
  const log = page.getByRole('log', { name: 'Chat with the assistant' });
  await page.getByRole('button', { name: 'What did I miss today?' }).click();
  await ask.press('Enter');
  await log.getByText('Here is what is new:').waitFor();
  await log.getByText('asks whether Friday still works').waitFor();

  await ask.fill('Who is waiting for a reply from me?');
  await ask.press('Enter');
  await log.getByText('1 person is waiting for a reply from you').waitFor();

  await ask.fill('Remind me tomorrow at 9 to call the plumber.');
  await ask.press('Enter');
  const approve = page.getByRole('button', { name: 'Approve schedule' });
  const done = log.getByText('Done. I will remind you tomorrow at 09:00: Call the plumber.');
  await approve.or(done).first().waitFor();
  if (await approve.isVisible()) await approve.click();
  await done.waitFor();

  await ask.fill('How high is the Eiffel Tower?');
  await ask.press('Enter');
  await log.getByText('This demo has no real model').waitFor();
  expect(await log.textContent()).not.toMatch(/[{}]/);
}, 60_000);

it('shows no read receipts to a stranger and in the observed group', async () => {
  const { page } = phone;
  for (const name of [/Kit/, /Morenos/]) {
    await page.getByRole('button', { name }).click();
    await page
      .locator('.mine')
      .last()
      .getByText('delivered', { exact: true })
      .waitFor({ state: 'attached' });
    expect(await page.locator('#messages .ticks[data-status="read"]').count()).toBe(0);
  }
  await page.getByRole('button', { name: /Mom/ }).click();
});

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
    .getByText('delivered', { exact: true })
    .waitFor({ state: 'attached' });
  const { page: owner } = console;
  await owner.goto('/chats');
  await owner.getByRole('link', { name: /Mom/ }).first().click();
  await owner.getByText(answer).last().waitFor();
});

it('answers the voice message that a visitor sends as Mom, and shows her photo to the owner', async () => {
  verifies('MEDIA-DEMO');
  const { page } = phone;
  const before = await bubbles(page).count();
  await page.getByRole('button', { name: 'Voice message: dinner on Sunday?' }).click();
  await page.locator('#messages audio').last().waitFor();
  await bubbles(page)
    .nth(before + 1)
    .waitFor();
  const answer =
    (await bubbles(page)
      .nth(before + 1)
      .locator('[dir]')
      .textContent()) ?? '';
  expect(answer).toMatch(/lovely|food/);
  await page.getByRole('button', { name: 'Photo: the lasagna' }).click();
  await page.locator('#messages img').last().waitFor();
  expect(phone.complaints).toEqual([]);

  const { page: owner } = console;
  await owner.goto('/chats');
  await owner.getByRole('link', { name: /Mom/ }).first().click();
  await owner.getByText('Hi Alex, it is Mom. Are you coming for dinner on Sunday?').waitFor();
  await owner.getByText('Transcribed by machine').waitFor();
  await owner.getByText(answer).last().waitFor();
  await owner.getByRole('button', { name: 'Open: Photo from Mom: It is in the oven!' }).waitFor();
  await expectNoSeriousFindings(owner);
}, 60_000);

it('keeps text that could not be sent, and says why', async () => {
  const { page } = phone;
  await page.route('**/api/messages', (route) => route.abort());
  await field(page).fill('One more thing');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Not sent').waitFor();
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
  await owner.getByRole('link', { name: 'Open the simulated phone' }).click();
  const popup = await opened;
  await popup.getByRole('heading', { name: 'Alex Moreno' }).waitFor();
  expect(new URL(popup.url()).hash).toBe('');
  await popup.close();
  const back = phone.page.context().waitForEvent('page');
  await phone.page.getByRole('button', { name: 'Open the console' }).click();
  const second = await back;
  await second.getByText('All data is simulated').waitFor();
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
  expect(await seen.page.evaluate(OVERFLOWS)).toBe(false);
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
