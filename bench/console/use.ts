// Simulates a user of the console: scrolls the board, the list and a long chat, types into search and a conversation,
// and navigates between them without reloading the page.
import { navigate } from '@relay/testing/e2e/console/evaluate';
import type { Page } from 'playwright-core';

interface Places {
  readonly chat: string;
  readonly conversation: string;
}

const WHEEL_MS = 80;
const WORDS = 'when was the delivery agreed and what did it cost ';

/** How many tasks make a round. */
export const ROUND = 5;

/** One after the other, repeated. */
export function* tasksOf(
  page: Page,
  { chat, conversation }: Places,
): Generator<() => Promise<void>> {
  for (;;) {
    yield () => scrolls(page, '/conversations', 500);
    yield () => scrolls(page, '/conversations?view=list', 900);
    yield () => scrolls(page, `/chats/${chat}`, -1_200);
    yield () => types(page, `/conversations/${conversation}`, 'main textarea');
    yield () => types(page, '/search', 'main input');
  }
}

const STEP_MS = 3_000;

async function go(page: Page, path: string): Promise<void> {
  await navigate(page, path);
  await page.locator('main :is(h1, h2)').first().waitFor();
}

async function scrolls(page: Page, path: string, by: number): Promise<void> {
  await go(page, path);
  await page.mouse.move(720, 560);
  const end = Date.now() + STEP_MS;
  while (Date.now() < end) {
    await page.mouse.wheel(0, by);
    await page.waitForTimeout(WHEEL_MS);
  }
}

async function types(page: Page, path: string, field: string): Promise<void> {
  await go(page, path);
  const box = page.locator(field).first();
  await box.click();
  const end = Date.now() + STEP_MS;
  for (const key of (function* () {
    for (;;) yield* WORDS;
  })()) {
    if (Date.now() > end) break;
    await page.keyboard.type(key);
    await page.waitForTimeout(WHEEL_MS);
  }
  await box.fill('');
}
