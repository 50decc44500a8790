// The daemon is killed and restarted under open pages: they say so, reconnect by themselves, show what happened
// meanwhile, and a message that was being sent arrives once.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Demo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { linkScene, OWNER } from './scene.ts';

const MARTA = '14155550103';
const STRANGER = '447700900417';
const DRAFT = 'Could you come on Thursday';
const HOUR_MS = 3_600_000;
const WAITS = {
  tool_calls: [{ name: 'schedule_next_heartbeat', arguments: { delay: HOUR_MS } }],
};

const fixture = consoleFixture();
let demo: Demo;
let conversationId: string;
let looking: ConsoleView;
let home: Page;
let talk: Page;
let tools: Page;

beforeAll(async () => {
  demo = await fixture.start(linkScene);
  conversationId = await conversation();
  looking = await fixture.signedIn();
  home = looking.page;
  [talk, tools] = (await Promise.all(
    [`/conversations/${conversationId}`, '/tools'].map(async (path) => {
      const page = await home.context().newPage();
      await page.goto(path);
      return page;
    }),
  )) as [Page, Page];
}, 180_000);

/** The conversation with Marta, which waits for her. */
async function conversation(): Promise<string> {
  await demo.relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: MARTA,
    displayName: 'Marta',
    ...{ canRead: true, canReply: true, canInitiate: true },
  });
  const text = 'Hello Marta, could you quote the leak?';
  demo.model.rules([
    {
      when: { contains: 'first_message' },
      reply: { tool_calls: [{ name: 'send_message', arguments: { text } }] },
    },
    { when: {}, reply: WAITS },
  ]);
  const { id } = await demo.relay.ok<{ id: string }>('POST', '/api/instances', {
    objective: 'Kitchen leak quote by Friday',
    target_contact: `+${MARTA}`,
  });
  await eventually('the first message', async () => ((await got(text)) === 1 ? true : undefined));
  return id;
}

/** How often Marta's phone has the message. */
const got = async (text: string): Promise<number> =>
  (await demo.phones.received(MARTA, OWNER)).filter((message) => message.text === text).length;

/** What Relay knows about the connection and the conversation's messages. */
async function whatRelaySays(): Promise<string> {
  const paths = ['/api/whatsapp/status', `/api/instances/${conversationId}/transcript`];
  return JSON.stringify(await Promise.all(paths.map((path) => demo.relay.call('GET', path))));
}

const banner = (page: Page) => page.getByText('Relay has not responded since');
const field = () => talk.getByLabel('Your message to Marta');
const said = (text: string) => talk.getByRole('log').getByText(text, { exact: true });
/** Seed 000: without a status it counts as disconnected. */
const acts = () => tools.getByRole('button', { name: /^(Disconnect|Link Device)$/ }).first();
const isBack = (page: Page) => banner(page).waitFor({ state: 'detached', timeout: 60_000 });

/** Whether a chunk of the console was loaded. */
const has = (page: Page, part: string): Promise<boolean> =>
  page.evaluate<boolean>(`performance.getEntriesByType('resource')
    .some((one) => one.name.includes('/assets/${part}-') && one.responseStatus === 200)`);

it('pages report the outage, keep what is typed, and disable their buttons', async () => {
  await said('Hello Marta, could you quote the leak?').waitFor();
  await tools.getByRole('button', { name: 'Disconnect' }).waitFor();
  await field().fill(DRAFT);
  await demo.kill();
  for (const page of [home, talk, tools]) await banner(page).waitFor();
  expect(await acts().isDisabled()).toBe(true);
  expect(await home.getByRole('button', { name: 'Hold all sending' }).isDisabled()).toBe(true);
  expect(await talk.getByRole('button', { name: /^Send(?! later)/ }).isDisabled()).toBe(true);
  expect(await field().inputValue()).toBe(DRAFT);
  expect(await field().isEnabled()).toBe(true);
  await talk.setViewportSize({ width: 390, height: 844 });
  const [alert, title] = await Promise.all(
    [talk.getByRole('alert'), talk.getByRole('heading', { level: 1 })].map((part) =>
      part.boundingBox(),
    ),
  );
  expect(title?.y).toBeGreaterThan((alert?.y ?? 0) + (alert?.height ?? 0));
  await talk.setViewportSize({ width: 1440, height: 900 });
  await field().press('End');
  await field().pressSequentially(' at ten');
});

it('pages reconnect by themselves and show what happened meanwhile, once', {
  timeout: 120_000,
}, async () => {
  await demo.phones.send(MARTA, OWNER, 'It will be 240 euros');
  await demo.phones.send(STRANGER, OWNER, 'Is the flat still free?');
  await demo.restart();
  await demo.relay.connected();
  await Promise.all([home, talk, tools].map(isBack));
  await said('It will be 240 euros').waitFor();
  expect(await said('It will be 240 euros').count()).toBe(1);
  expect(await said('Hello Marta, could you quote the leak?').count()).toBe(1);
  expect(await field().inputValue()).toBe(`${DRAFT} at ten`);
  await home.getByText('Kit', { exact: false }).first().waitFor();
  await expect.poll(() => tools.getByRole('button', { name: 'Disconnect' }).isEnabled()).toBe(true);
});

it.each([0, 15, 60])(
  'a message that is being sent when the daemon is killed %i ms later arrives once',
  {
    timeout: 120_000,
  },
  async (later) => {
    const text = `Thursday, ${later} past ten`;
    await field().fill(text);
    const asked = talk.waitForRequest(/\/send$/);
    await field().press('Control+Enter');
    await asked;
    await talk.waitForTimeout(later);
    await demo.kill();
    await banner(talk).waitFor();
    await demo.restart();
    await demo.relay.connected();
    await isBack(talk);
    await eventually('the send to be over', async () => {
      if ((await field().inputValue()) === '') return true;
      const isReady = await talk.getByRole('button', { name: /^Send(?! later)/ }).isEnabled();
      if (isReady) await field().press('Control+Enter');
      return undefined;
    });
    await eventually('it to arrive', async () => ((await got(text)) > 0 ? true : undefined)).catch(
      async ({ message }: Error) => expect.fail(`${message}: ${await whatRelaySays()}`),
    );
    await said(text).waitFor();
    await talk.waitForTimeout(2_000);
    expect({ arrived: await got(text), shown: await said(text).count() }).toEqual({
      arrived: 1,
      shown: 1,
    });
  },
);

it('a page first opened during the outage loads when the daemon is back', {
  timeout: 120_000,
}, async () => {
  const page = await home.context().newPage();
  await page.goto('/');
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  for (const part of ['palette', 'keys-list']) await expect.poll(() => has(page, part)).toBe(true);
  await demo.kill();
  await banner(page).waitFor();
  await page.keyboard.press('Control+K');
  await page.getByPlaceholder(/^Find/).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Shift+?');
  await page
    .getByRole('dialog', { name: 'Keyboard shortcuts' })
    .getByText('Show keyboard shortcuts', { exact: true })
    .waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Ledger', exact: true }).click();
  await page.waitForTimeout(2_000);
  expect(await banner(page).count()).toBe(1);
  expect(await has(page, 'ledger')).toBe(false);
  await page.evaluate('globalThis.isSamePage = true');
  await demo.restart();
  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
  await isBack(page);
  expect(await page.evaluate('globalThis.isSamePage')).toBe(true);
});

it('pages have no complaints except unanswered requests', () => {
  const others = looking.complaints.filter((complaint) => !complaint.includes('net::ERR_'));
  expect(others).toEqual([]);
});
