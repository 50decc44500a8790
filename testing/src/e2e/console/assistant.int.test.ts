// The assistant in a real Chromium, with the shipped daemon and a scripted model: streamed words, approving and
// declining in place, a turn that is stopped and one that a crash ends. The phone shows exactly what was sent, once.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Demo } from '../demo.ts';
import { expectNoSeriousFindings } from './axe.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { linkScene, OWNER } from './scene.ts';
import { NOTE_TO_PRIYA, PRIYA, scriptAssistant } from './scenes/assistant.ts';

const fixture = consoleFixture();
let demo: Demo;
let looking: ConsoleView;
let page: Page;

beforeAll(async () => {
  demo = await fixture.start(linkScene);
  await demo.relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: PRIYA,
    displayName: 'Priya Raman',
    canRead: true,
    canReply: true,
  });
  scriptAssistant(demo);
  looking = await fixture.signedIn();
  page = looking.page;
  await page.getByRole('link', { name: 'Assistant', exact: true }).click();
}, 180_000);

const field = () => page.getByRole('textbox', { name: 'Ask your assistant' });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const log = () => page.getByRole('log', { name: 'Chat with the assistant' });
const asking = () => page.getByRole('region', { name: /Priya Raman/ });
const notes = async () =>
  (await demo.phones.messages(PRIYA, OWNER)).filter(({ text }) => text?.startsWith(NOTE_TO_PRIYA));

async function ask(text: string): Promise<void> {
  await field().fill(text);
  await page.keyboard.press('Enter');
}

it('puts a suggestion into the field without asking, and a draft survives a reload', async () => {
  await page.getByText('No messages yet.').waitFor();
  await button('What did I miss today?').click();
  expect(await field().inputValue()).toBe('What did I miss today?');
  await page.reload();
  await expect.poll(() => field().inputValue()).toBe('What did I miss today?');
  expect(await log().count()).toBe(0);
});

it('streams words, announces them once, and can be stopped and asked again', async () => {
  await ask('Tell me a long story');
  await log().getByText('Once upon').waitFor();
  const half = (await log().textContent()) ?? '';
  expect(half).not.toContain('miss a word of it');
  expect(await log().getAttribute('aria-live')).toBe('off');
  expect(await page.locator('#main [role=status]').textContent()).toBe('Writing.');
  await button('Stop').click();
  await log().getByText('Stopped. Nothing was done.').waitFor();
  await button('Ask again').click();
  await button('Stop').waitFor();
  await log().getByText('miss a word of it').waitFor();
  await button('Ask').waitFor();
  await expectNoSeriousFindings(page);
}, 60_000);

it('shows what it would send in place, and declining sends nothing', async () => {
  await ask('Tell Priya that lunch moves.');
  await asking().getByText(NOTE_TO_PRIYA).waitFor();
  await expectNoSeriousFindings(page);
  await asking().getByRole('button', { name: 'Decline' }).click();
  await log().getByText('Then I leave it.').waitFor();
  await expect.poll(() => asking().count()).toBe(0);
  expect(await notes()).toEqual([]);
});

it('reports a turn that a crash ended; the pending approval is still there and sends once', async () => {
  await ask('Tell Priya that lunch moves.');
  await asking().getByText(NOTE_TO_PRIYA).waitFor();
  await demo.kill();
  await page.getByText('The connection was lost before the answer was complete.').waitFor();
  await demo.restart();
  await page.getByText('Relay has not responded since').waitFor({ state: 'detached' });
  await asking().getByRole('button', { name: 'Approve and send' }).click();
  await expect.poll(async () => (await notes()).length, { timeout: 30_000 }).toBe(1);
  await expect.poll(() => asking().count()).toBe(0);
}, 120_000);

it('shows questions from the phone by itself, in order, and keeps them after a reload', async () => {
  await demo.phones.send(OWNER, OWNER, 'Tell me a long story, from the phone');
  await log().getByText('from the phone').waitFor();
  await page.reload();
  const questions = log().getByRole('article', { name: 'You', exact: true });
  await expect
    .poll(() => questions.allTextContents())
    .toEqual([
      expect.stringContaining('Tell me a long story'),
      expect.stringContaining('Tell me a long story'),
      expect.stringContaining('Tell Priya'),
      expect.stringContaining('Tell Priya'),
      expect.stringContaining('from the phone'),
    ]);
}, 60_000);

it('confirms a new session, and says where to set up a model when there is none', async () => {
  const newSession = page.locator('#main').getByRole('button', { name: 'Start new session' });
  await newSession.click();
  await button('Cancel').click();
  expect(await log().count()).toBe(1);
  await newSession.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Start new session' }).click();
  await page.getByText('No messages yet.').waitFor();
  await demo.relay.ok('PATCH', '/api/settings', { model_provider: null });
  await page.reload();
  const setUp = page.getByRole('link', { name: 'Set up a model' });
  expect(await setUp.getAttribute('href')).toBe('/tools');
  expect(await button('Ask').isDisabled()).toBe(true);
});

it('has no complaints from the browser, in particular about its content policy', () => {
  expect(looking.complaints.filter((complaint) => !complaint.includes('net::ERR_'))).toEqual([]);
});
