// The console with two accounts in a real Chromium: the switcher, the account in the address, and the inbox of both.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import type { Demo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { untilLoaded, visit } from './pages.ts';

const FIRST = '15550000000';
const BEN = '15550000001';
const SALES = '15550000011';
const CARA = '15550000012';

const fixture = consoleFixture();
let demo: Demo;
let looking: ConsoleView;
let page: Page;

async function linkSales(): Promise<void> {
  const { relay, phones } = demo;
  await relay.ok('POST', '/api/accounts', { name: 'sales' });
  await relay.ok('POST', '/api/accounts/sales/whatsapp/connect', {});
  const qr = await eventually('a QR code', async () => {
    const link = await relay.ok<{ qr: string | null }>('GET', '/api/accounts/sales/whatsapp/link');
    return link.qr ?? undefined;
  });
  await phones.scan(SALES, qr);
  await eventually('the second link', async () => {
    const path = '/api/accounts/sales/whatsapp/status';
    return (await relay.ok<{ status: string }>('GET', path)).status === 'connected' || undefined;
  });
}

beforeAll(async () => {
  demo = await fixture.start(async ({ phones }) => {
    await phones.add(FIRST, 'Ana');
    await phones.add(BEN, 'Ben');
    await phones.add(SALES, 'Sales');
    await phones.add(CARA, 'Cara');
  });
  await demo.link(FIRST);
  await demo.phones.send(BEN, FIRST, 'Hello from Ben');
  looking = await fixture.signedIn();
  page = looking.page;
}, 180_000);

const switcher = () => page.getByRole('combobox', { name: 'Switch account' }).first();

it('hides the switcher and the inbox while there is one account', async () => {
  verifies('ACCOUNT-CONSOLE');
  await visit(page, '/');
  expect(await switcher().count()).toBe(0);
  expect(await page.getByRole('link', { name: 'All accounts' }).count()).toBe(0);
});

it('switches the account, and keeps it in the address of every page', async () => {
  verifies('ACCOUNT-CONSOLE');
  await linkSales();
  await demo.phones.send(CARA, SALES, 'Hello from Cara');
  await visit(page, '/');
  await switcher().waitFor();
  await switcher().selectOption('sales');
  await page.waitForURL('**/accounts/sales/');
  await page.getByRole('link', { name: 'Chats' }).first().click();
  await page.waitForURL('**/accounts/sales/chats');
  await untilLoaded(page);
  await page.getByText('Hello from Cara').first().waitFor();
  expect(await page.getByText('Hello from Ben').count()).toBe(0);
  await page.reload();
  await page.getByText('Hello from Cara').first().waitFor();
  await demo.phones.send(CARA, SALES, 'Live from Cara');
  await page.getByText('Live from Cara').first().waitFor();
});

it('shows the chats of all accounts in one inbox, which leads to the account of each', async () => {
  verifies('ACCOUNT-CONSOLE');
  await visit(page, '/inbox');
  await page.getByText('Hello from Ben').waitFor();
  await page.getByText('Live from Cara').click();
  await page.waitForURL('**/accounts/sales/chats/*');
  expect(looking.complaints).toEqual([]);
});
