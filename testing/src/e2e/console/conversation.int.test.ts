// One conversation in a real Chromium against the shipped daemon: paused, resumed, written to and cancelled by keyboard
// and by mouse; new messages appear by themselves, and a change that came too late shows the current state.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Demo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import { expectNoSeriousFindings } from './axe.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { linkScene, OWNER } from './scene.ts';

const MARTA = '14155550103';

const fixture = consoleFixture();
let demo: Demo;
let looking: ConsoleView;
let page: Page;
let id: string;

const stateOf = async () =>
  (await demo.relay.ok<{ state: string }>('GET', `/api/instances/${id}`)).state;
const stands = (state: string) =>
  eventually(state, async () => (await stateOf()) === state || undefined);
const move = (act: string) => page.getByRole('button', { name: new RegExp(`^${act}\\W`) }).last();
const log = () => page.getByRole('log', { name: /^Messages with/ });
const field = () => page.getByRole('textbox', { name: /^Your message to / });

beforeAll(async () => {
  demo = await fixture.start(linkScene);
  const grant = { canRead: true, canReply: true, canInitiate: true };
  const marta = { phoneNumber: MARTA, displayName: 'Marta', ...grant };
  await demo.relay.ok('POST', '/api/whatsapp/permissions', marta);
  const text = 'Hello Marta, could you quote the leak?';
  demo.model.rules([
    {
      when: { contains: 'first_message' },
      reply: { tool_calls: [{ name: 'send_message', arguments: { text } }] },
    },
  ]);
  const made = await demo.relay.ok<{ id: string }>('POST', '/api/instances', {
    objective: 'Kitchen leak quote by Friday',
    target_contact: `+${MARTA}`,
    todos: [{ text: 'A price' }],
    facts: ['The leak is under the sink.'],
  });
  id = made.id;
  await stands('WAITING_FOR_REPLY');
  looking = await fixture.signedIn();
  page = looking.page;
  await page.goto(`/conversations/${id}`);
  await log().getByText('could you quote').waitFor();
}, 420_000);

it('says in the middle of the page that a conversation does not exist', async () => {
  const other = await page.context().newPage();
  await other.setViewportSize({ width: 1280, height: 900 });
  await other.goto('/conversations/00000000-0000-4000-8000-000000000000');
  const title = await other.getByText('Conversation not found.').boundingBox();
  const main = await other.getByRole('main').boundingBox();
  const middle = (box: typeof main) => (box?.x ?? 0) + (box?.width ?? 0) / 2;
  expect(Math.abs(middle(title) - middle(main))).toBeLessThan(20);
  await other.close();
});

it('shows the transcript, the plan and the history, and axe finds nothing serious', async () => {
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Kitchen leak');
  await page.getByText('The leak is under the sink.').waitFor();
  await page.getByText('The agent started on the first message.').waitFor();
  expect(await move('Resume').count()).toBe(0);
  await expectNoSeriousFindings(page);
});

it('is paused by a key and resumed by a button', async () => {
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('p');
  await stands('PAUSED');
  await move('Resume').click();
  await stands('WAITING_FOR_REPLY');
  await move('Pause').waitFor();
});

it('keeps a draft after a reload, and sends it once with Ctrl+Enter', async () => {
  await field().fill('It is me, Alex.');
  await page.reload();
  await log().getByText('could you quote').waitFor();
  expect(await field().inputValue()).toBe('It is me, Alex.');
  await field().press('Control+Enter');
  await log().getByText('It is me, Alex.').waitFor();
  await expect.poll(() => field().inputValue()).toBe('');
  const lines = await demo.relay.ok<{ content: string }[]>(
    'GET',
    `/api/instances/${id}/transcript`,
  );
  expect(lines.filter(({ content }) => content === 'It is me, Alex.')).toHaveLength(1);
});

it('shows the current state after a change that came too late', async () => {
  await page.route('**/api/instances/*/pause', async (route) => {
    await demo.relay.ok('POST', `/api/instances/${id}/pause`);
    await route.continue();
  });
  await move('Pause').click();
  await page.getByRole('alert').getByText('The conversation has changed').waitFor();
  await move('Resume').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});

it("shows the contact's messages by itself, and confirms cancelling", async () => {
  await demo.phones.send(MARTA, OWNER, 'Saturday suits me.');
  await log().getByText('Saturday suits me.').waitFor();
  await move('Cancel').click();
  const dialog = page.getByRole('dialog', { name: 'Cancel this conversation?' });
  await dialog.getByRole('button', { name: 'Keep conversation' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await stateOf()).toBe('PAUSED');
  await move('Cancel').click();
  await dialog.getByRole('button', { name: 'Cancel conversation' }).click();
  await stands('FAILED');
  await page.locator('main header').getByText('Cancelled', { exact: true }).waitFor();
  expect(await field().count()).toBe(0);
  expect(looking.complaints.filter((text) => !text.includes('status of 409'))).toEqual([]);
});
