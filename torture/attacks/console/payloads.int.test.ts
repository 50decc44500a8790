// All console payloads of the injection set, in every field that the console shows: no script runs, nothing is
// requested from elsewhere, the content security policy blocks nothing, and the text is readable.
import { CONSOLE_PAGES } from '@relay/core/console/pages';
import { revealHidden } from '@relay/core/messages/text';
import type { ConsoleView } from '@relay/testing/e2e/console/browser';
import { navigate } from '@relay/testing/e2e/console/evaluate';
import { consoleFixture } from '@relay/testing/e2e/console/fixture';
import { linksUnder, untilLoaded, visit } from '@relay/testing/e2e/console/pages';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { attacks, spread, textsOf } from '../data.ts';
import { poison } from './poison.ts';
import { bare, type Watch, watch } from './watch.ts';

const payloads = attacks().filter(({ goal }) => goal === 'ui_injection');
const texts = payloads.map((payload) => textsOf(payload).join('\n'));
const lists = CONSOLE_PAGES.filter((path) => !path.includes('$'));
/** Taller than any screen: the page renders the same, and is read in fewer steps. */
const WIDE = { width: 1440, height: 4_000 };
const NARROW = { width: 390, height: 4_000 };
/** Detail pages to visit per list: they differ only in the text. */
const DETAILS = 8;

const fixture = consoleFixture();
let looking: ConsoleView;
let watching: Watch;
let page: Page;

beforeAll(async () => {
  await fixture.start(async (demo) => {
    const { refused } = await poison(demo, payloads);
    expect(refused.filter((one) => one.startsWith('/api/assistant'))).toEqual([]);
  });
  looking = await fixture.signedIn(async (signedOut) => {
    watching = await watch(signedOut);
  });
  page = looking.page;
}, 600_000);

/** The payloads that cannot be read in it; invisible characters are compared as written out. */
function unreadIn(shown: string): string[] {
  const all = bare(shown);
  return texts.filter(
    (text) => ![text, revealHidden(text)].some((each) => all.includes(bare(each))),
  );
}

const readIn = (shown: string): number => texts.length - unreadIn(shown).length;

it('there are 140 payloads', () => {
  expect(payloads).toHaveLength(140);
});

/**
 * The minimum of the 140 payloads that each page must show: the rest cannot be entered there, or no longer fit the
 * list.
 */
const LISTED: Readonly<Record<string, number>> = {
  '/approvals': 130,
  '/conversations?view=list': 138,
  '/chats': 130,
  '/assistant': 138,
  '/schedules': 138,
  '/people': 138,
  '/groups': 8,
};

it('every list page, wide and narrow, shows payloads only as text', {
  timeout: 600_000,
}, async () => {
  const unread: Record<string, string[]> = {};
  for (const path of [...lists, '/conversations?view=list']) {
    await page.setViewportSize(NARROW);
    await visit(page, path);
    const narrow = await watching.read();
    await page.setViewportSize(WIDE);
    await untilLoaded(page);
    unread[path] = unreadIn(narrow + (await watching.read()));
  }
  for (const [path, least] of Object.entries(LISTED)) {
    const missing = unread[path] ?? texts;
    const message = `${path} lacks ${missing.join(' | ')}`;
    expect.soft(texts.length - missing.length, message).toBeGreaterThanOrEqual(least);
  }
  expect(watching.hits).toEqual([]);
});

it('every detail page shows payloads only as text', { timeout: 600_000 }, async () => {
  const read: Record<string, number> = {};
  for (const list of lists) {
    if (!CONSOLE_PAGES.some((path) => path.startsWith(`${list}/$`))) continue;
    await visit(page, list);
    let shown = '';
    for (const path of spread(await linksUnder(page, list), DETAILS, () => list)) {
      await navigate(page, path);
      await untilLoaded(page);
      shown += await watching.read();
    }
    read[list] = readIn(shown);
  }
  // Each page is about another item, and shows at least its own payload.
  for (const [list, shown] of Object.entries(read))
    expect.soft(shown, list).toBeGreaterThanOrEqual(DETAILS);
  expect(Object.keys(read).length).toBeGreaterThanOrEqual(3);
  expect(watching.hits).toEqual([]);
});

it('a chat shows every message as text', { timeout: 120_000 }, async () => {
  // Read by scrolling up to the beginning.
  await page.setViewportSize({ width: 1440, height: 900 });
  await visit(page, '/chats?q=Carrier');
  const [chat = ''] = await linksUnder(page, '/chats');
  await visit(page, chat);
  // Older lines load after scrolling, on a slow machine only after scrolling back.
  let shown = '';
  const read = async () => {
    shown += await watching.read();
    return readIn(shown);
  };
  await expect.poll(read, { timeout: 90_000 }).toBeGreaterThanOrEqual(138);
  expect(watching.hits).toEqual([]);
});

it('the dialogs over a page show payloads only as text', { timeout: 120_000 }, async () => {
  await visit(page, '/tools');
  for (const button of await page.getByRole('button', { name: /^Manage/ }).all()) {
    await button.click();
    await page.getByRole('dialog').waitFor();
    await untilLoaded(page);
    await watching.read();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  }
  expect(watching.hits).toEqual([]);
});

it('search finds and shows each payload as text', { timeout: 600_000 }, async () => {
  const refused: string[] = [];
  let found = 0;
  await visit(page, '/search');
  for (const text of texts) {
    await navigate(page, `/search?${new URLSearchParams({ q: JSON.stringify(text) })}`);
    await page.locator('main [role=status]', { hasText: /result|failed/ }).waitFor();
    const shown = (await page.locator('main').textContent()) ?? '';
    if (shown.includes('Invalid search text.')) refused.push(text);
    else if (bare(shown).includes(bare(text))) found += 1;
  }
  await watching.read();
  expect(refused).toEqual(['a\0b']);
  expect(found).toBeGreaterThanOrEqual(100);
  expect(watching.hits).toEqual([]);
});

it('the browser reported no policy violation and no request to elsewhere', () => {
  // One payload contains NUL, which no query may contain: the daemon refuses it, and the page says so.
  const others = looking.complaints.filter((complaint) => !complaint.includes('status of 400'));
  expect(others).toEqual([]);
});
