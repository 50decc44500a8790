// The conversation board in a real Chromium against the shipped daemon: conversations created by mouse and by keyboard
// alone, and a board that updates by itself. Nothing is mocked.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it, vi } from 'vitest';
import type { Demo } from '../demo.ts';
import { expectNoSeriousFindings } from './axe.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { linkScene, OWNER } from './scene.ts';

const MARTA = '14155550103';
const ROSA = '14155550106';

vi.setConfig({ testTimeout: 120_000 });
const SOON = { timeout: 15_000 };

const fixture = consoleFixture();
let demo: Demo;
let looking: ConsoleView;
let page: Page;

beforeAll(async () => {
  demo = await fixture.start(linkScene);
  demo.model.rules([
    {
      when: { contains: 'first_message' },
      reply: { tool_calls: [{ name: 'send_message', arguments: { text: 'Hello there.' } }] },
    },
    {
      when: { contains: 'deposit' },
      reply: {
        tool_calls: [
          { name: 'request_human_intervention', arguments: { reason: 'Marta wants a deposit.' } },
        ],
      },
    },
  ]);
  looking = await fixture.signedIn();
  page = looking.page;
  page.setDefaultTimeout(SOON.timeout);
}, 180_000);

const column = (title: string) => page.getByRole('region', { name: new RegExp(`^${title}`) });
const card = (title: string, objective: string) =>
  column(title).getByRole('link', { name: new RegExp(`^${objective}`) });
const focused = () => page.locator(':focus');
const hasFocus = (objective: string) =>
  page.locator('[data-card]:focus', { hasText: objective }).waitFor();
const field = (name: string) => page.getByRole('textbox', { name, exact: true });

it('creates a conversation by mouse from a template, and the board follows it by itself', async () => {
  await page.getByRole('link', { name: 'Conversations', exact: true }).click();
  await page.getByText('No conversations yet.').waitFor();
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await page.getByText('Get a quote', { exact: true }).click();
  await page.getByRole('button', { name: 'Start conversation' }).click();
  await page.getByText('Replace the … with your own text.').waitFor();
  await page.getByText('Choose a contact or enter a number.').waitFor();
  await field('Goal').fill('Get a quote for the kitchen leak');
  await field('Contact').fill(`+${MARTA}`);
  await page.getByRole('option', { name: '+1 415 555 0103' }).click();
  await page.getByText('This is the first message to +1 415 555 0103').waitFor();
  await field('Where').fill('12 Mill Lane');
  await page.getByRole('button', { name: 'Start conversation' }).click();
  await page.waitForURL(/conversations\/[0-9a-f-]{36}$/);
  const [made] = await demo.relay.ok<{ facts: string[]; todos: unknown[] }[]>(
    'GET',
    '/api/instances',
  );
  expect(made).toMatchObject({ facts: ['Where: 12 Mill Lane'], todos: { length: 3 } });

  await page.goto('/conversations');
  await card('Waiting for reply', 'Get a quote').waitFor();
  await demo.phones.send(MARTA, OWNER, 'I need a deposit of 80 euros first.');
  await card('Waiting for you', 'Get a quote').waitFor();
  await page.getByText('1 open conversation, waiting for you.').waitFor();
  await card('Waiting for you', 'Get a quote').getByText('Marta wants a deposit.').waitFor();
  await card('Waiting for you', 'Get a quote').getByText('Marta Oliveira').waitFor();
  await expectNoSeriousFindings(page);
});

it('creates another by keyboard alone, and the input survives a reload', async () => {
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('c');
  await page.getByRole('dialog', { name: 'New conversation' }).waitFor();
  await field('Goal').and(focused()).waitFor();
  await page.keyboard.type('Book the van for Sunday');
  await page.reload();
  await expect.poll(() => field('Goal').inputValue(), SOON).toBe('Book the van for Sunday');
  await expectNoSeriousFindings(page);
  await field('Goal').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.type(`+${ROSA}`);
  await page.getByRole('option', { name: '+1 415 555 0106' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Change' }).waitFor();
  await tabTo('To-do 1');
  await page.keyboard.type('A price');
  await page.keyboard.press('Enter');
  await page.keyboard.type('A place');
  await page.keyboard.press('Alt+ArrowUp');
  await tabTo('Start conversation');
  await page.keyboard.press('Enter');
  await page.waitForURL(/conversations\/[0-9a-f-]{36}$/);
  const [made] = await demo.relay.ok<{ todos: { text: string }[] }[]>('GET', '/api/instances');
  expect(made?.todos.map(({ text }) => text)).toEqual(['A place', 'A price']);
});

/** Presses Tab until the element with this name has the focus. */
async function tabTo(name: string): Promise<void> {
  const wanted = page.locator(`[aria-label="${name}"], button:has-text("${name}")`).first();
  for (let n = 0; n < 40; n += 1) {
    if ((await wanted.and(focused()).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${name} was not reached by Tab`);
}

it('moves between cards with arrows, opens with Enter, and keeps the focus on a card that moves', async () => {
  await page.goto('/conversations');
  await card('Waiting for reply', 'Book the van').waitFor();
  await page.keyboard.press('ArrowDown');
  await hasFocus('Get a quote');
  await page.keyboard.press('ArrowRight');
  await hasFocus('Book the van');
  // Its new column is updated after its old one.
  await page.route(/turn=you/, async (route) => {
    await page.waitForTimeout(1_000);
    await route.continue();
  });
  await demo.phones.send(ROSA, OWNER, 'That needs a deposit.');
  await card('Waiting for you', 'Book the van').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await hasFocus('Book the van');
  await page.keyboard.press('Enter');
  await page.waitForURL(/conversations\/[0-9a-f-]{36}$/);
});

it('moves nothing under a pointer, and counts what arrives', async () => {
  await page.goto('/conversations');
  await card('Waiting for you', 'Book the van').hover();
  const [older] = await demo.relay.ok<{ id: string }[]>('GET', '/api/instances?words=quote');
  await demo.relay.ok('POST', `/api/instances/${older?.id}/pause`);
  await card('Paused or queued', 'Get a quote').waitFor();
  await card('Waiting for you', 'Get a quote').getByText('Paused').waitFor();
  await demo.relay.ok('POST', `/api/instances/${older?.id}/cancel`);
  await page.mouse.move(5, 5);
  await expect.poll(() => card('Waiting for you', 'Get a quote').count(), SOON).toBe(0);
});

it('keeps the filters of the list in the address', async () => {
  await page.goto('/conversations?view=list');
  await page.getByRole('row', { name: /Get a quote/ }).waitFor();
  await page.getByRole('searchbox', { name: 'Search' }).fill('van');
  await page.waitForURL(/words=van/);
  await expect.poll(() => page.getByRole('row', { name: /Get a quote/ }).count(), SOON).toBe(0);
  await page.reload();
  await page.getByRole('row', { name: /Book the van/ }).waitFor();
  expect(await page.getByRole('row', { name: /Get a quote/ }).count()).toBe(0);
  await expectNoSeriousFindings(page);
});

it('has no complaints from the browser, in particular about its content policy', () => {
  expect(looking.complaints).toEqual([]);
});
