// Notifications in a real Chromium at the width of a phone: turned on in the settings, pushed by the shipped daemon to
// a push service on this machine, handed to the real service worker as a browser does, and answered from it. Chromium
// has no push service here, so the test subscribes in its place and delivers what the daemon encrypted.
import type { Approval } from '@relay/contract/api/approvals';
import type { PushPayload } from '@relay/contract/notifications/push-payload';
import type { CDPSession, Page, Worker } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PushService, type Subscription, startPushService } from '../../push-service.ts';
import { verifies } from '../../verifies.ts';
import type { Demo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { linkScene, OWNER } from './scene.ts';

const JONAS = { phone: '14155550131', name: 'Jonas Beck' };

const fixture = consoleFixture();
let push: PushService;
let subscription: Subscription;
let demo: Demo;
let looking: ConsoleView;
let page: Page;
let devtools: CDPSession;
let ask: (message: string) => Promise<string>;

beforeAll(async () => {
  push = await startPushService();
  subscription = push.subscribe();
  demo = await fixture.start(linkScene, {
    notifications: { allow: [push.place] },
    pacing: { enabled: false },
  });
  await demo.phones.add(JONAS.phone, JONAS.name);
  await demo.relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: JONAS.phone,
    displayName: JONAS.name,
    canRead: true,
    canReply: true,
  });
  const { secret } = await demo.relay.ok<{ secret: string }>('POST', '/api/tokens', {
    name: 'Claude Desktop',
    scopes: ['messages:send'],
  });
  ask = async (message) => {
    const { approval_id } = await demo.relay.ok<{ approval_id: string }>(
      'POST',
      '/api/tools/send_message',
      { chat_id: JONAS.name, message },
      { authorization: `Bearer ${secret}` },
    );
    return approval_id;
  };
  looking = await fixture.signedIn(
    async (view) => {
      const context = view.page.context();
      await context.grantPermissions(['notifications'], { origin: demo.api });
      await context.addInitScript(subscribed(subscription));
    },
    { width: 390, height: 844 },
  );
  page = looking.page;
  page.setDefaultTimeout(90_000);
  devtools = await page.context().newCDPSession(page);
}, 480_000);
afterAll(() => push?.close());

/** What a browser's push service would do: the page gets the test's subscription, also after a reload. */
const subscribed = ({ json }: Subscription) => `{
  const subscription = { toJSON: () => (${JSON.stringify(json)}), unsubscribe: async () => true };
  PushManager.prototype.subscribe = async () => {
    localStorage.setItem('test-subscribed', 'yes');
    return subscription;
  };
  PushManager.prototype.getSubscription = async () =>
    localStorage.getItem('test-subscribed') ? subscription : null;
}`;

const button = (name: string) => page.getByRole('button', { name, exact: true });
const stateOf = async (id: string) =>
  (await demo.relay.ok<Approval>('GET', `/api/approvals/${id}`)).state;
const got = async (text: string): Promise<number> =>
  (await demo.phones.received(JONAS.phone, OWNER)).filter((message) => message.text === text)
    .length;
const arrives = (text: string) =>
  eventually(text, async () => ((await got(text)) > 0 ? true : undefined));

async function worker(): Promise<Worker> {
  const [known] = page.context().serviceWorkers();
  return known ?? page.context().waitForEvent('serviceworker');
}

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly actions: readonly string[];
}

const shown = async (): Promise<Shown[]> =>
  (await worker()).evaluate(`self.registration.getNotifications().then((all) => all.map((one) => ({
    title: one.title, body: one.body, tag: one.tag, actions: one.actions.map(({ action }) => action) })))`);

/** Presses a button of the notification with this tag; an empty action is the notification itself. */
async function press(tag: string, action: string): Promise<void> {
  await (await worker()).evaluate(`(async () => {
    const [notification] = await self.registration.getNotifications({ tag: ${JSON.stringify(tag)} });
    const event = new NotificationEvent('notificationclick', { notification, action: ${JSON.stringify(action)} });
    let work;
    // Chromium takes waitUntil only from events of its own.
    Object.defineProperty(event, 'waitUntil', { value: (promise) => { work = promise; } });
    self.dispatchEvent(event);
    await work;
  })()`);
}

let delivered = 0;
/** Hands the next message of the daemon to the service worker. */
async function nextPush(): Promise<PushPayload> {
  const message = await eventually('a push message', async () => subscription.messages[delivered]);
  delivered += 1;
  await devtools.send('ServiceWorker.deliverPushMessage', {
    origin: demo.api,
    registrationId: await registrationId(),
    data: JSON.stringify(message.payload),
  });
  return message.payload;
}

let registration: string | undefined;
async function registrationId(): Promise<string> {
  if (registration !== undefined) return registration;
  devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    registration ??= registrations.find(({ isDeleted }) => !isDeleted)?.registrationId;
  });
  await devtools.send('ServiceWorker.enable');
  return eventually('the registration', async () => registration);
}

it('turns notifications on for this browser in the settings, and sends a test', async () => {
  verifies('NOTIFY-WORKER');
  await page.goto('/settings');
  await button('Turn on for this browser').click();
  await page.getByText('(this browser)').waitFor();
  await button('Send a test').click();
  expect(await nextPush()).toMatchObject({ kind: 'test', locale: 'en' });
  await expect.poll(shown).toEqual([
    {
      title: 'Test',
      body: 'Notifications from Relay arrive here.',
      tag: 'test:test',
      actions: [],
    },
  ]);
  await press('test:test', '');

  const { headers, cacheNames } = await page.evaluate<{
    headers: Record<string, string>;
    cacheNames: string[];
  }>(`(async () => ({
    headers: Object.fromEntries((await fetch('/service-worker.js')).headers),
    cacheNames: await caches.keys(),
  }))()`);
  expect(headers).toMatchObject({ 'cache-control': 'no-cache' });
  expect(headers['content-type']).toMatch(/^(text|application)\/javascript/);
  expect(headers['content-security-policy']).toContain("script-src 'self'");
  expect(cacheNames).toEqual([]);
});

it('without text in it, a notification opens the approval, which is answered at phone width', async () => {
  const id = await ask('Shall we say Friday at noon?');
  const payload = await nextPush();
  expect(payload.detail).toBeNull();
  const tag = `approval:${id}`;
  await expect
    .poll(shown)
    .toEqual([{ title: 'Approval needed', body: 'Approvals waiting: 1', tag, actions: ['open'] }]);
  await press(tag, 'open');
  await page.waitForURL(`${demo.api}/approvals/${id}`);
  expect(await stateOf(id)).toBe('pending');
  await page.getByRole('button', { name: /^Approve/ }).click();
  await arrives('Shall we say Friday at noon?');
  expect(await nextPush()).toMatchObject({ action: 'close', tag });
  await expect.poll(shown).toEqual([]);
});

it('with its text in it, Approve sends exactly that, once, also across a restart', async () => {
  verifies('NOTIFY-APPROVE-ONCE');
  await demo.relay.ok('PATCH', '/api/settings', { notifications: { show_text: true } });
  const text = 'Friday at noon it is.';
  const id = await ask(text);
  await nextPush();
  const tag = `approval:${id}`;
  await expect.poll(shown).toEqual([
    {
      title: 'Send this message?',
      body: `To ${JONAS.name} (+${JONAS.phone})\n${text}`,
      tag,
      actions: ['approve', 'decline'],
    },
  ]);
  const payload = subscription.messages[delivered - 1]?.payload;
  await demo.kill();
  await demo.restart();
  await press(tag, 'approve');
  await expect.poll(async () => (await shown()).map(({ title }) => title)).toEqual(['Approved']);
  await arrives(text);
  expect(await stateOf(id)).toBe('approved');

  // The same notification again, as if it had been pressed twice: nothing more is sent.
  await devtools.send('ServiceWorker.deliverPushMessage', {
    origin: demo.api,
    registrationId: await registrationId(),
    data: JSON.stringify(payload),
  });
  await expect.poll(async () => (await shown())[0]?.actions).toEqual(['approve', 'decline']);
  await press(tag, 'approve');
  await expect
    .poll(async () => (await shown()).map(({ title }) => title))
    .toEqual(['Not approved']);
  await demo.kill();
  await demo.restart();
  await demo.relay.connected();
  const after = await ask('One more, so that everything before it has been sent.');
  await demo.relay.ok('POST', `/api/approvals/${after}/approve`, {});
  await arrives('One more, so that everything before it has been sent.');
  expect(await got(text)).toBe(1);
});

it('while Relay does not respond, Approve says so and approves nothing', async () => {
  const id = await ask('Are you there?');
  const tag = `approval:${id}`;
  // What closes the notifications before it comes first.
  while ((await nextPush()).tag !== tag);
  await expect.poll(async () => (await shown()).some((one) => one.tag === tag)).toBe(true);
  await demo.kill();
  await press(tag, 'approve');
  expect((await shown()).find((one) => one.tag === tag)).toMatchObject({
    title: 'No response from Relay',
    actions: [],
  });
  await demo.restart();
  expect(await stateOf(id)).toBe('pending');
});

it('without a session, Approve opens the approval instead, to sign in and answer there', async () => {
  verifies('NOTIFY-SIGNED-OUT');
  const id = await ask('Is it still Friday?');
  const tag = `approval:${id}`;
  while ((await nextPush()).tag !== tag);
  await expect.poll(async () => (await shown()).some((one) => one.tag === tag)).toBe(true);
  await page.goto('/');
  await page.context().clearCookies();
  await press(tag, 'approve');
  await page.waitForURL(`${demo.api}/approvals/${id}`);
  await page.getByText('relay open', { exact: true }).waitFor();
  expect((await shown()).find((one) => one.tag === tag)).toMatchObject({
    title: 'Confirm it is you',
    actions: ['open'],
  });
  expect(await stateOf(id)).toBe('pending');
  await demo.relay.ok('POST', `/api/approvals/${id}/approve`, {});
  while ((await nextPush()).tag !== tag);
  await expect.poll(async () => (await shown()).some((one) => one.tag === tag)).toBe(false);
});
