// The chats in a real Chromium: a list with keyboard navigation, and a chat that is read to its beginning and back
// without jumps, while new messages wait behind a button.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Demo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import { expectNoSeriousFindings } from './axe.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { linkScene, OWNER } from './scene.ts';

const MUM = '14155550104';
const KIT = '447700900417';
const LINES = 90;

const fixture = consoleFixture();
let demo: Demo;
let looking: ConsoleView;
let page: Page;

const log = () => page.getByRole('log', { name: /^Messages with/ });
const button = (name: string | RegExp) => page.getByRole('button', { name });

beforeAll(async () => {
  demo = await fixture.start(linkScene);
  const mum = { phoneNumber: MUM, displayName: 'Mum', canRead: true };
  await demo.relay.ok('POST', '/api/whatsapp/permissions', mum);
  for (let n = 1; n <= LINES; n += 1) await demo.phones.send(MUM, OWNER, `line ${n}`);
  // WhatsApp timestamps are whole seconds, and the newest comes first.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await demo.phones.send(KIT, OWNER, '<b>Is the flat free?</b>');
  await eventually('both chats', async () => {
    const { chats } = await demo.relay.ok<{ chats: { last: { text: string } }[] }>(
      'GET',
      '/api/chats',
    );
    const last = chats.map((chat) => chat.last.text);
    return last.length === 2 && last.includes(`line ${LINES}`) ? chats : undefined;
  });
  looking = await fixture.signedIn();
  page = looking.page;
}, 420_000);

it("shows for each chat what Relay may do there, and renders others' text as text", async () => {
  await page.getByRole('link', { name: 'Chats', exact: true }).click();
  await page
    .getByRole('navigation', { name: 'Chats' })
    .getByText('<b>Is the flat free?</b>')
    .waitFor();
  await page.keyboard.press('j');
  await log().getByText('<b>Is the flat free?</b>').waitFor();
  await page.getByText(/^Kit .* has no grant\./).waitFor();
  await page.keyboard.press('j');
  await page.getByText('Agents may read messages from Mum but not reply.').waitFor();
  await log().getByText(`line ${LINES}`, { exact: true }).waitFor();
  await expectNoSeriousFindings(page);
});

it('reads a chat to its beginning without a jump, while new messages wait behind a button', async () => {
  const worst = await page.evaluate<number>(READ_TO_THE_TOP);
  expect(worst).toBeLessThan(2);
  await log().getByText('Start of the stored messages.').waitFor();
  await log().getByText('line 1', { exact: true }).waitFor();
  await demo.phones.send(MUM, OWNER, 'Call me.');
  await button('Show 1 new message').click();
  await log().getByText('Call me.').waitFor();
  await expect.poll(() => button(/new message/).count()).toBe(0);
});

it('finds a chat by its name, and keeps the query in the address', async () => {
  await page.getByRole('textbox', { name: 'Find a chat by name or number' }).fill('mu');
  await expect
    .poll(() => page.getByRole('navigation', { name: 'Chats' }).getByRole('link').count())
    .toBe(1);
  expect(page.url()).toContain('q=mu');
  await page.reload();
  await log().getByText('Call me.').waitFor();
  expect(await page.getByRole('navigation', { name: 'Chats' }).getByRole('link').count()).toBe(1);
  expect(looking.complaints).toEqual([]);
});

/** The largest movement in pixels of a visible line, apart from scrolling. Runs in the page. */
const READ_TO_THE_TOP = `(async () => {
  const box = document.querySelector('[role=log]');
  const topOf = (key) => box.querySelector('[data-key="' + CSS.escape(key) + '"]')?.getBoundingClientRect().top;
  let worst = 0;
  for (let still = 0; still < 8; still = box.scrollTop === 0 ? still + 1 : 0) {
    const edge = box.getBoundingClientRect().top;
    const lines = [...box.querySelectorAll('[data-key]')];
    const key = lines.find((line) => line.getBoundingClientRect().top > edge)?.dataset.key ?? '';
    const before = (topOf(key) ?? 0) + Math.min(250, box.scrollTop);
    box.scrollTop -= 250;
    await new Promise((resolve) => setTimeout(resolve, 60));
    worst = Math.max(worst, Math.abs((topOf(key) ?? before) - before));
  }
  return worst;
})()`;
