// Approvals in a real Chromium against the shipped daemon: by mouse and by keyboard, on a laptop and on a phone.
// Requests to the daemon are only watched, and sent messages are checked on Jonas's phone.
import type { Approval } from '@relay/contract/api/approvals';
import type { Locator, Page, Request } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Demo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import { expectNoSeriousFindings } from './axe.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { linkScene, OWNER } from './scene.ts';
import { approvals, askAgain, CLIENT_NAME, JONAS, LONG, SHORT } from './scenes/approvals.ts';

const fixture = consoleFixture();
let demo: Demo;
let looking: ConsoleView;
let page: Page;
const asked: Request[] = [];

beforeAll(async () => {
  demo = await fixture.start(linkScene);
  await approvals(demo, OWNER);
  looking = await fixture.signedIn();
  page = looking.page;
  page.on('request', (request) => asked.push(request));
}, 180_000);

const button = (name: string | RegExp) => page.getByRole('button', { name });
const waiting = () => demo.relay.ok<Approval[]>('GET', '/api/approvals');
const withText = async (text: string) =>
  (await waiting()).find((approval) => approval.text === text) ?? fail(`nothing waits: ${text}`);
const fail = (why: string): never => {
  throw new Error(why);
};
const stateOf = async (id: string) =>
  (await demo.relay.ok<Approval>('GET', `/api/approvals/${id}`)).state;
const summary = (text: string) => page.getByText(`${text} Each approval is used once`);
const shownText = () => page.getByRole('region', { name: 'Text', exact: true });
/** Presses A in the moment in which Approve becomes enabled, before the page does anything else. */
const pressOnceEnabled = () =>
  page.evaluate(`new Promise((resolve) => {
    const button = document.querySelector('button[aria-keyshortcuts=A]');
    const press = () => {
      if (button.disabled) return;
      watching.disconnect();
      resolve(dispatchEvent(new KeyboardEvent('keydown', { key: 'a' })));
    };
    const watching = new MutationObserver(press);
    watching.observe(button, { attributes: true });
    press();
  })`);
const arrives = (text: string) =>
  eventually(text.slice(0, 30), async () => {
    const got = await demo.phones.received(JONAS.phone, OWNER);
    return got.some((message) => message.text === text) || undefined;
  });

it('shows the recipient, the full text, who asked and why, and what led there', async () => {
  await page.getByRole('link', { name: /^Approvals/ }).click();
  await summary('3 approvals waiting.').waitFor();
  await page.getByRole('link', { name: /^Send to Jonas Beck/ }).click();
  await page.getByRole('heading', { name: 'Send this message to Jonas Beck?' }).waitFor();
  expect(await shownText().textContent()).toBe(SHORT);
  const whole = page.getByRole('article');
  for (const words of [
    '+1 415 555 0131',
    CLIENT_NAME,
    'read_then_send',
    'Sam Okafor',
    'Expires in',
  ]) {
    await whole.getByText(words).first().waitFor();
  }
  await whole.getByRole('link', { name: /^Ledger row \d/ }).waitFor();
  await expectNoSeriousFindings(page);
});

it('approves a long text once it was read to its end, and sends the hash of what was shown', async () => {
  const long = await withText(LONG);
  await page.getByRole('link', { name: /^First message to Jonas/ }).click();
  const risks = page.getByRole('list', { name: 'Risk for your account' });
  await risks.waitFor();
  const top = async (part: Locator) => (await part.boundingBox())?.y ?? 0;
  expect(await top(risks)).toBeLessThan(await top(shownText()));
  await page.getByText('Read the text to the end first.').waitFor();
  expect(await button(/^Approve/).isDisabled()).toBe(true);
  await shownText().focus();
  await page.keyboard.press('End');
  await expect.poll(() => button(/^Approve/).isEnabled()).toBe(true);
  await button(/^Approve/).click();
  await arrives(LONG);
  const approved = asked.findLast((request) => request.url().endsWith(`${long.id}/approve`));
  expect(approved?.postDataJSON()).toEqual({ shown: long.shown });
  await expect.poll(() => page.url()).not.toContain(long.id);
  await summary('2 approvals waiting.').waitFor();
  await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('H2');
});

it('edits by keyboard alone, needs a new approval, and sends only the new text', {
  timeout: 120_000,
}, async () => {
  const old = await withText(SHORT);
  const other = 'Would 16:30 on Thursday suit you as well?';
  await page.goto('/approvals');
  await summary('2 approvals waiting.').waitFor();
  await expect.poll(() => shownText().textContent()).toBe(SHORT);
  await page.keyboard.press('j');
  await expect.poll(() => shownText().textContent()).not.toBe(SHORT);
  await page.keyboard.press('k');
  await expect.poll(() => shownText().textContent()).toBe(SHORT);
  await page.keyboard.press('e');
  await page.getByLabel('New text').waitFor();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(other);
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect.poll(() => shownText().textContent()).toBe(other);
  expect(await stateOf(old.id)).toBe('rejected');
  const edited = await withText(other);
  expect(page.url()).toContain(edited.id);
  await pressOnceEnabled();
  await arrives(other);
  const got = await demo.phones.received(JONAS.phone, OWNER);
  expect(got.map(({ text }) => text)).not.toContain(SHORT);
  await summary('1 approval waiting.').waitFor();
});

it('shows in place that an approval was answered elsewhere', async () => {
  const [last] = await waiting();
  await page.getByRole('heading', { name: /^Schedule this message to Jonas/ }).waitFor();
  await demo.relay.ok('POST', `/api/approvals/${last?.id}/edit`, { text: 'Still on?' });
  await page.getByText('The text was changed elsewhere.').waitFor();
  expect(await button(/^Approve/).count()).toBe(0);
  await page.getByRole('link', { name: 'View the new text' }).click();
  await expect.poll(() => shownText().textContent()).toBe('Still on?');
});

it('declines with an optional reason, and then nothing is pending', async () => {
  const { id } = await withText('Still on?');
  await page.keyboard.press('d');
  await page.getByLabel('Reason (optional)').waitFor();
  await page.keyboard.type('Not every week.');
  await page.keyboard.press('Enter');
  await summary('No approvals waiting.').waitFor();
  const { state, answer } = await demo.relay.ok<Approval>('GET', `/api/approvals/${id}`);
  expect({ state, answer }).toEqual({ state: 'rejected', answer: 'Not every week.' });
});

it('filters decided approvals by the address, newest first', async () => {
  await page.getByText('Declined', { exact: true }).click();
  await page.getByText('4 declined or changed, newest first.').waitFor();
  expect(page.url()).toContain('state=rejected');
  await page.reload();
  await page.getByRole('article').getByText('Reason for declining: Not every week.').waitFor();
  await expectNoSeriousFindings(page);
});

it('approves an edited text in one step, and sends it once', async () => {
  await askAgain(demo, SHORT);
  const other = 'Could we say 17:00 instead?';
  await page.goto('/approvals');
  await expect.poll(() => shownText().textContent()).toBe(SHORT);
  await page.keyboard.press('e');
  await page.getByLabel('New text').fill(other);
  await button(/^Approve/).click();
  await arrives(other);
  await summary('No approvals waiting.').waitFor();
});

it('shows the chosen approval as a page on a phone, within the width of the screen', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/approvals?state=approved');
  await page
    .getByRole('link', { name: /Jonas Beck/ })
    .first()
    .click();
  await page.getByRole('link', { name: 'All approvals' }).waitFor();
  await shownText().waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await expectNoSeriousFindings(page);
});

it('has no complaints from the browser, in particular about its content policy', () => {
  expect(looking.complaints).toEqual([]);
});
