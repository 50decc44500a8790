// The people page in a real Chromium against the shipped daemon: grants and message requests that are changed there
// change in the daemon. Nothing is mocked.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Demo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import { expectNoSeriousFindings } from './axe.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { linkScene, OWNER } from './scene.ts';

const DANA = '14155550101';
const KIT = '447700900417';
const ROSA = '14155550106';

const fixture = consoleFixture();
let demo: Demo;
let looking: ConsoleView;
let page: Page;

interface Granted {
  readonly displayName: string;
  readonly canRead: boolean;
  readonly canReply: boolean;
  readonly replyMode: string;
}
const granted = async (name: string): Promise<Granted | undefined> =>
  (await demo.relay.ok<Granted[]>('GET', '/api/whatsapp/permissions')).find(
    ({ displayName }) => displayName === name,
  );
const becomes = (name: string, wanted: Partial<Granted>) =>
  expect.poll(() => granted(name), { timeout: 10_000 }).toMatchObject(wanted);
const read = (name: string) => page.getByRole('switch', { name: `Agents may read ${name}` });
const button = (name: string | RegExp) => page.getByRole('button', { name });

beforeAll(async () => {
  demo = await fixture.start(linkScene);
  await demo.relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: DANA,
    displayName: 'Dana',
    canRead: true,
    canReply: true,
    replyMode: 'draft',
  });
  for (const stranger of [KIT, ROSA]) {
    await demo.phones.send(stranger, OWNER, `Is anybody there? ${stranger}`);
  }
  await eventually('two message requests', async () => {
    const requests = await demo.relay.ok<unknown[]>('GET', '/api/knocks');
    return requests.length === 2 || undefined;
  });
  looking = await fixture.signedIn();
  page = looking.page;
  await page.goto('/people');
  await page.getByText('Agents have access to 1 person.').waitFor();
}, 180_000);

it('revokes at once and undoes it, by mouse and by keyboard alone', async () => {
  await read('Dana').click({ force: true });
  await becomes('Dana', { canRead: false });
  await button(/^Undo/).click();
  await becomes('Dana', { canRead: true });

  await expect.poll(() => read('Dana').isChecked()).toBe(true);
  await read('Dana').focus();
  await page.keyboard.press('Space');
  await becomes('Dana', { canRead: false });
  await page.keyboard.press('Control+Z');
  await becomes('Dana', { canRead: true, canReply: true });
});

it('confirms before it allows automatic replies, and cancelling changes nothing', async () => {
  const mode = page.getByLabel('Reply mode for Dana');
  await mode.getByText('Auto').click();
  const asked = page.getByRole('alertdialog', { name: 'Allow automatic replies to Dana?' });
  await asked.waitFor();
  await page.keyboard.press('Escape');
  await mode.waitFor();
  expect(await granted('Dana')).toMatchObject({ replyMode: 'draft' });
  await mode.getByText('Auto').click();
  await asked.getByRole('button', { name: 'Allow automatic replies' }).click();
  await becomes('Dana', { replyMode: 'auto' });
});

it('hides message requests until the owner looks, grants reading to one and dismisses the other', async () => {
  const text = page.getByText('Is anybody there?');
  expect(await text.count()).toBe(0);
  await button('View messages from +44 770 090 0417').click();
  await text.waitFor();
  await page.getByText('Only you see these messages.').waitFor();
  await button('Dismiss the message request from +44 770 090 0417').click();
  await button('Allow reading messages from +1 415 555 0106').click();
  // Her profile name is not used as the owner's name for her.
  await becomes('+14155550106', { canRead: true, canReply: false });
  await eventually('no message requests', async () => {
    const requests = await demo.relay.ok<unknown[]>('GET', '/api/knocks');
    return requests.length === 0 || undefined;
  });
  await page.getByText('Agents have access to 2 people.').waitFor();
});

it('grants reading with N and a number, without a mouse', async () => {
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: 'Add a grant' });
  await dialog.waitFor();
  await page.keyboard.type('+44 7700 900555');
  await page.getByRole('option', { name: '+44 770 090 0555' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Name', { exact: true }).focus();
  await page.keyboard.type('The plumber');
  await page.keyboard.press('Enter');
  await becomes('The plumber', { canRead: true, canReply: false, replyMode: 'draft' });
});

it('keeps search, filter and details in the address, and erases only after the name was typed', async () => {
  await page.getByLabel('Find people and groups').fill('plumb');
  await page.waitForURL(/q=plumb/);
  // Until the list shows the results, a click may hit a row that is about to be replaced.
  await read('Dana').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'The plumber' }).click();
  await page.waitForURL(/who=/);
  await page.reload();
  const drawer = page.getByRole('dialog', { name: 'The plumber' });
  await drawer.getByRole('button', { name: 'Show what would be erased' }).click();
  const erase = drawer.getByRole('button', { name: 'Erase permanently' });
  await erase.waitFor();
  expect(await erase.isDisabled()).toBe(true);
  await drawer.getByLabel(/to confirm/).fill('the plumber');
  await erase.click();
  await drawer.getByText(/^Erased:/).waitFor();
  expect(await granted('The plumber')).toBeUndefined();
  await drawer.getByRole('button', { name: 'Done' }).click();
});

it('has no serious accessibility findings and no complaints from the browser', async () => {
  await page.goto('/people?show=all');
  await read('Dana').waitFor();
  await expectNoSeriousFindings(page);
  expect(looking.complaints.filter((complaint) => !complaint.includes('net::ERR_'))).toEqual([]);
});
