// An owner's first day in the console, from linking to disconnecting, once with a mouse and once with the keyboard
// alone. Every action happens on a page; only the phones, the model and the time of a digest are simulated.
import type { Locator, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Demo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { byKeyboard, byMouse, type Hands } from './hands.ts';
import { OWNER } from './scene.ts';
import { groups, STREET } from './scenes/groups.ts';

const DANA = '14155550101';
const MARTA = '14155550103';
const KIT = '447700900417';

const KEYS = 'Yes, 18:30 works. Alex will bring the spare keys.';
const HELLO = 'Hello Marta, could you quote the leak?';
const ASKED = 'Thank you. Would Friday do?';

describe.each([
  ['a mouse', byMouse],
  ['the keyboard alone', byKeyboard],
] as const)('an owner with %s', { timeout: 120_000 }, (_, handsOf) => {
  const fixture = consoleFixture();
  let demo: Demo;
  let looking: ConsoleView;
  let page: Page;
  let hands: Hands;

  beforeAll(async () => {
    demo = await fixture.start(people);
    play(demo);
    looking = await fixture.signedIn();
    page = looking.page;
    hands = handsOf(page);
  }, 180_000);

  afterEach(async ({ task }) => {
    // A picture for debugging a failure.
    if (task.result?.state === 'fail')
      await page.screenshot({ path: `coverage/flow-${hands.by}.png` });
  });

  const open = (name: string) => hands.press('link', new RegExp(`^${name}`));
  const arrives = (phone: string, text: string) =>
    eventually(`${phone} to get “${text}”`, async () => {
      const got = await demo.phones.received(phone, OWNER);
      return got.filter((message) => message.text === text).length === 1 || undefined;
    });
  const log = (): Locator => page.getByRole('log');

  it('links a phone and proves the connection by a message to oneself', async () => {
    await open('Tools and connections');
    await hands.press('button', 'Link Device');
    await page.getByRole('img', { name: /QR code/ }).waitFor();
    expect((await demo.phones.scan(OWNER, await demo.relay.qr())).linked).toBe(true);
    await hands.press('button', 'Message yourself');
    await page.getByRole('status').getByText(/\d s$/).waitFor();
  });

  it('grants somebody replies as drafts', async () => {
    await demo.phones.send(DANA, OWNER, 'Hello, this is Dana');
    await open('People and grants');
    await page.getByText(/Profile name: “Dana” \(not verified\)/).waitFor();
    await hands.press('button', /^Add a grant/);
    await hands.type('Person or group', 'Dana');
    await hands.choose(/Dana/);
    await hands.type('Name', 'Dana');
    await hands.press('radio', 'Read and draft replies');
    await hands.press('button', 'Allow reading and drafts');
    await page
      .getByText('Agents may read messages from Dana and draft replies. You approve each reply.')
      .first()
      .waitFor();
  });

  it('sees a message request, and grants reading', async () => {
    await demo.phones.send(KIT, OWNER, 'Hi, is the flat still free?');
    await hands.press('button', /^Allow reading messages from \+44/);
    await page
      .getByText(/Agents may read messages from Kit/)
      .first()
      .waitFor();
  });

  it('approves a draft, and exactly that arrives', async () => {
    await demo.phones.send(DANA, OWNER, 'Can you bring the spare keys at 18:30?');
    await open('Approvals');
    await page.getByText(KEYS).first().waitFor();
    await hands.press('button', /^Approve and send/);
    await arrives(DANA, KEYS);
  });

  it('creates a conversation and follows it live', async () => {
    await open('Conversations');
    await hands.press('button', /^New conversation/);
    await hands.type('Goal', 'Kitchen leak quote by Friday');
    await hands.type('Contact', '+1 415 555 0103');
    await hands.choose(/0103/);
    await hands.press('button', 'Start conversation');
    await page.waitForURL(/\/conversations\/[\w-]{36}/);
    await log().getByText(HELLO).waitFor();
    await arrives(MARTA, HELLO);
    await demo.phones.send(MARTA, OWNER, 'It will be 240 euros');
    await log().getByText('It will be 240 euros').waitFor();
    await arrives(MARTA, ASKED);
    await log().getByText(ASKED).waitFor();
  });

  it('pauses it, resumes it, and sees it completed', async () => {
    const state = (word: string) => page.locator('main header').getByText(word, { exact: true });
    await hands.press('button', /^Pause/);
    await state('Paused').waitFor();
    await hands.press('button', /^Resume/);
    await state('Waiting for reply').waitFor();
    await demo.phones.send(MARTA, OWNER, 'Friday is fine');
    await state('Completed').waitFor();
  });

  it("reads yesterday's digest of a group", async () => {
    await groups(demo, OWNER);
    await open('Groups and digests');
    await hands.press('link', new RegExp(STREET));
    await page
      .getByText(/Street party is final/)
      .first()
      .waitFor();
  });

  it('finds a message, and why it was answered', async () => {
    await open('Search');
    await hands.type('Search messages, digests and facts', 'spare keys');
    await page.getByText('Can you bring the').first().waitFor();
    await hands.press('link', 'Why?');
    await page.waitForURL(/\/ledger/);
    await page
      .getByText(/draft|approv/i)
      .first()
      .waitFor();
  });

  it('creates a token for a client, shown once', async () => {
    await open('Tools and connections');
    await hands.press('button', 'New token');
    await hands.type('Client name', 'Claude Desktop');
    await hands.press('button', 'Create token');
    await page.getByText(/Token of Claude Desktop/).waitFor();
    await hands.press('button', 'Done');
    await hands.press('button', 'Close');
  });

  it('disconnects', async () => {
    await hands.press('button', 'Disconnect');
    await page.getByRole('alertdialog').waitFor();
    await hands.press('checkbox', 'Also clear the saved session');
    await hands.press('button', 'Disconnect');
    await page.getByRole('button', { name: 'Link Device' }).waitFor();
  });

  it('has no complaints from the browser', () => {
    expect(looking.complaints.filter((complaint) => !complaint.includes('net::ERR_'))).toEqual([]);
  });
});

async function people({ phones }: Demo): Promise<void> {
  await phones.add(OWNER, 'Alex');
  await phones.add(DANA, 'Dana');
  await phones.add(MARTA, 'Marta');
  await phones.add(KIT, 'Kit');
}

function play({ model }: Demo): void {
  const calls = (name: string, args: object) => ({
    tool_calls: [{ name, arguments: { ...args } as Record<string, unknown> }],
  });
  model.rules([
    { when: { system: 'Dana', contains: 'spare keys' }, reply: { text: KEYS } },
    { when: { contains: 'first_message' }, reply: calls('send_message', { text: HELLO }) },
    { when: { contains: '240 euros' }, reply: calls('send_message', { text: ASKED }) },
    {
      when: { contains: 'Friday is fine' },
      reply: calls('end_conversation', { reason: '240 euros, on Friday.' }),
    },
  ]);
}
