// The composer in a real Chromium, by keyboard alone, on a phone and on a laptop: what the owner writes, replies to,
// schedules, has drafted or is suggested reaches the other phone once, and nothing else does.
import { verifies } from '@relay/testing/verifies';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Demo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import { expectNoSeriousFindings } from './axe.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { byKeyboard, type Hands } from './hands.ts';
import { linkScene, OWNER } from './scene.ts';

const MARTA = '14155550103';
const MUM = '14155550104';

const fixture = consoleFixture();
let demo: Demo;
let looking: ConsoleView;
let page: Page;
let hands: Hands;
let mums: string;

const log = () => page.getByRole('log', { name: /^Messages with/ });
const field = () => page.getByRole('textbox', { name: /^Your message to / });
const WRITE = /^Your message to /;
const status = () => page.getByRole('status').filter({ hasText: 'Your last message' });

const received = (phone: string, text: string) =>
  eventually(`“${text}” on the phone`, async () => {
    const found = (await demo.phones.received(phone, OWNER)).filter((one) => one.text === text);
    return found.length === 0 ? undefined : found;
  });

async function writes(text: string): Promise<string> {
  const id = await demo.phones.send(MUM, OWNER, text);
  await log().getByText(text, { exact: true }).last().waitFor();
  return id;
}

beforeAll(async () => {
  demo = await fixture.start(linkScene);
  const mum = { phoneNumber: MUM, displayName: 'Mum', canRead: true };
  await demo.relay.ok('POST', '/api/whatsapp/permissions', mum);
  const grant = { canRead: true, canReply: true, canInitiate: true };
  await demo.relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: MARTA,
    displayName: 'Marta',
    ...grant,
  });
  demo.model.rules([
    { when: { contains: 'Dinner on Sunday' }, reply: { text: 'Gladly, what can I bring?' } },
    { when: { contains: 'Is it raining' }, reply: { text: 'Not a drop.' } },
    {
      when: { contains: 'first_message' },
      reply: { tool_calls: [{ name: 'send_message', arguments: { text: 'Hello Marta!' } }] },
    },
  ]);
  await demo.phones.send(MUM, OWNER, 'hello');
  mums = await eventually('a chat', async () => {
    const { chats } = await demo.relay.ok<{ chats: { id: string }[] }>('GET', '/api/chats?q=Mum');
    return chats[0]?.id;
  });
  looking = await fixture.signedIn();
  page = looking.page;
  hands = byKeyboard(page);
}, 420_000);

describe.each([1_280, 390])('%i pixels wide', (width) => {
  const told = (text: string) => `${text} (${width})`;

  beforeAll(async () => {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`/chats/${mums}`);
    await field().waitFor();
  });

  it('sends with Enter, starts a line with Shift+Enter, and shows how far the message got', async () => {
    verifies('WRITE-COMPOSER');
    await hands.type(WRITE, told('On my way'));
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('with bread');
    await page.keyboard.press('Enter');
    expect(await received(MUM, `${told('On my way')}\nwith bread`)).toHaveLength(1);
    await expect.poll(() => field().inputValue()).toBe('');
    await status().getByText('Delivered').waitFor();
    await demo.phones.read(MUM, OWNER);
    await status().getByText('Read').waitFor();
    expect(await field().and(page.locator(':focus')).count()).toBe(1);
    await expectNoSeriousFindings(page);
  });

  it('replies to one message, which the other phone shows as a quote', async () => {
    verifies('WRITE-QUOTE');
    const id = await writes(told('Are you near?'));
    await hands.press('button', `Reply to: ${told('Are you near?')}`);
    await page.getByText('Reply to Mum').waitFor();
    await page.keyboard.type(told('Two minutes'));
    await page.keyboard.press('Enter');
    const [message] = await received(MUM, told('Two minutes'));
    expect(message).toMatchObject({
      content: {
        extendedTextMessage: {
          text: told('Two minutes'),
          contextInfo: {
            stanzaId: id,
            participant: expect.stringMatching(/^\d+@(s\.whatsapp\.net|lid)$/),
            quotedMessage: { conversation: told('Are you near?') },
          },
        },
      },
    });
    await log()
      .locator('blockquote', { hasText: told('Are you near?') })
      .waitFor();
    await expect.poll(() => page.getByText('Reply to Mum').count()).toBe(0);
  });

  it('schedules a message and cancels it', async () => {
    verifies('WRITE-LATER');
    const text = told('Happy birthday, and all the best for the coming year');
    await hands.type(WRITE, text);
    await hands.press('button', 'Send later');
    await hands.press('button', 'Schedule message');
    await page.getByText(/^Scheduled for /).waitFor();
    await expect.poll(() => field().inputValue()).toBe('');
    const cancel = `Cancel scheduled message: ${text}`;
    const box = await page.getByRole('button', { name: cancel }).boundingBox();
    expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    await hands.press('button', cancel);
    await expect.poll(() => page.getByText(/^Scheduled for /).count()).toBe(0);
    const got = await demo.phones.received(MUM, OWNER);
    expect(got.map((one) => one.text)).not.toContain(text);
  });

  it('has a reply drafted, which is sent only after the owner edited it and pressed Enter', async () => {
    verifies('WRITE-DRAFT');
    await writes(told('Is it raining?'));
    await hands.press('button', 'Draft for me');
    await expect.poll(() => field().inputValue()).toBe('Not a drop.');
    expect((await demo.phones.received(MUM, OWNER)).map(({ text }) => text)).not.toContain(
      'Not a drop.',
    );
    await page.keyboard.press('End');
    await page.keyboard.type(` ${width}`);
    await page.keyboard.press('Enter');
    expect(await received(MUM, `Not a drop. ${width}`)).toHaveLength(1);
  });

  it('suggests a reply to a contact who may only be read, and sends it with one press', async () => {
    verifies('WRITE-SUGGEST');
    await writes(told('anything new?'));
    await hands.press('switch', /^Suggest replies/);
    await expect
      .poll(() => page.getByRole('switch', { name: 'Suggest replies' }).isChecked())
      .toBe(true);
    await writes(told('Dinner on Sunday?'));
    const card = page.getByRole('region', { name: 'Suggested reply' });
    await card.getByText('Gladly, what can I bring?').waitFor();
    expect(await demo.relay.ok<unknown[]>('GET', '/api/approvals?state=pending')).toEqual([]);
    const before = (await demo.phones.received(MUM, OWNER)).length;
    await hands.press('button', 'Send suggestion');
    await eventually('the suggestion on the phone', async () => {
      const got = await demo.phones.received(MUM, OWNER);
      return got.length > before ? got : undefined;
    });
    const got = await demo.phones.received(MUM, OWNER);
    expect(got.slice(before).map(({ text }) => text)).toEqual(['Gladly, what can I bring?']);
    await expect.poll(() => card.count()).toBe(0);
    await hands.press('switch', /^Suggest replies/);
  });
});

it('shows messages above the field on a small screen, also below a banner', async () => {
  await page.setViewportSize({ width: 390, height: 500 });
  await demo.relay.ok('POST', '/api/hold');
  await page.goto(`/chats/${mums}`);
  await page.getByText('Sending is on hold.', { exact: true }).waitFor();
  await log().waitFor();
  await field().scrollIntoViewIfNeeded();
  await expect.poll(async () => (await log().boundingBox())?.height ?? 0).toBeGreaterThan(40);
  await demo.relay.ok('POST', '/api/release');
  await page.setViewportSize({ width: 1_280, height: 844 });
});

it('writes in a paused conversation, which stays paused', async () => {
  verifies('WRITE-COMPOSER');
  const { id } = await demo.relay.ok<{ id: string }>('POST', '/api/instances', {
    objective: 'Kitchen leak quote',
    target_contact: `+${MARTA}`,
    todos: [],
  });
  const stateOf = async () =>
    (await demo.relay.ok<{ state: string }>('GET', `/api/instances/${id}`)).state;
  await eventually(
    'the first message',
    async () => (await stateOf()) === 'WAITING_FOR_REPLY' || undefined,
  );
  await demo.relay.ok('POST', `/api/instances/${id}/pause`);
  await page.goto(`/conversations/${id}`);
  await page.getByText('The conversation stays paused').waitFor();
  await hands.type(WRITE, 'It is me, Alex.');
  await page.keyboard.press('Enter');
  expect(await received(MARTA, 'It is me, Alex.')).toHaveLength(1);
  await log().getByText('It is me, Alex.').waitFor();
  expect(await stateOf()).toBe('PAUSED');
});

it('writes to a number that has no chat yet', async () => {
  verifies('WRITE-COMPOSER');
  await page.goto('/chats');
  await hands.press('button', 'New message');
  await page.getByRole('dialog').getByLabel('To').fill('+1 415 555 0106');
  await page.getByRole('option', { name: '+1 415 555 0106' }).click();
  await page.getByRole('dialog').getByLabel('Message').fill('Hello Rosa');
  await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
  await log().getByText('Hello Rosa').waitFor();
  expect(await received('14155550106', 'Hello Rosa')).toHaveLength(1);
  expect(looking.complaints).toEqual([]);
});
