// From `npm i -g` to the first answer in the console, as for a new user: an empty prefix, an empty npm cache, `relay
// demo` with its scene, and a Chromium that opens the demo's addresses: Mom writes on the phone page, and the console
// shows the answer to her. Building the package is not counted: a user installs a published one.
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtIn, openBuilds } from '@relay/testing/e2e/built';
import { openChromium } from '@relay/testing/e2e/console/browser';
import { type HeldDemo, holdScene, type SceneLine } from '@relay/testing/e2e/headless';
import { install, pack, weigh } from '@relay/testing/e2e/installed';
import { removeFolder } from '@relay/testing/remove-folder';
import type { Browser, Page } from 'playwright-core';
import { type Limit, loadFigure } from './figures.ts';

const AT_MOST_S = 60;
const MB = 1_000_000;

export async function benchFirstAnswer(): Promise<readonly Limit[]> {
  const builds = openBuilds();
  const folder = await mkdtemp(join(tmpdir(), 'relay-first-answer-'));
  let demo: HeldDemo<SceneLine> | undefined;
  // A new user already has a browser open.
  const browser = await openChromium();
  try {
    const archive = await pack(await builtIn(builds.folder), folder);
    const prefix = join(folder, 'prefix');
    await mkdir(prefix);
    const steps: Limit[] = [];
    const step = async <T>(name: string, take: () => Promise<T>): Promise<T> => {
      const began = performance.now();
      const taken = await take();
      steps.push({ name, measured: (performance.now() - began) / 1_000, unit: 's' });
      return taken;
    };

    const command = await step('npm i -g, with an empty cache', () =>
      install(archive, { prefix, cache: join(folder, 'cache') }),
    );
    demo = await step('relay demo, until it names its pages', () => holdScene(command));
    const { line } = demo;
    const pages = await step('the console and the phone are open', () => open(browser, line));
    await step('Mom writes, and the console shows the answer', () => answered(pages));
    const total = steps.reduce((sum, { measured }) => sum + measured, 0);
    const weight = await weigh(prefix);
    return [
      ...steps,
      { name: 'all of it', measured: total, unit: 's', atMost: AT_MOST_S },
      { name: 'the archive', measured: archive.bytes / MB, unit: 'MB' },
      { name: 'what lies on the disk', measured: weight.bytes / MB, unit: 'MB' },
      { name: 'packages', measured: weight.packages, unit: '' },
      loadFigure(),
    ];
  } finally {
    await browser.close();
    demo?.letGo();
    await demo?.ended;
    await removeFolder(folder);
    builds.remove();
  }
}

interface Pages {
  readonly owner: Page;
  readonly mom: Page;
}

async function open(browser: Browser, line: SceneLine): Promise<Pages> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const [owner, mom] = [await context.newPage(), await context.newPage()];
  await Promise.all([owner.goto(line.console), mom.goto(line.phone)]);
  await owner.locator('main h1').waitFor();
  await mom.getByRole('textbox', { name: /^Message to/ }).waitFor();
  return { owner, mom };
}

/** A browser renders only the tab in front, as for a person with one screen. */
async function answered({ owner, mom }: Pages): Promise<void> {
  await owner.bringToFront();
  await owner.getByRole('link', { name: 'Chats' }).first().click();
  await owner.getByRole('link', { name: /Mom/ }).first().click();
  await mom.bringToFront();
  const bubbles = mom.locator('#messages .bubble');
  const before = await bubbles.count();
  const field = mom.getByRole('textbox', { name: /^Message to/ });
  await field.fill('Will you come for dinner on Sunday?');
  await field.press('Enter');
  const answer = bubbles.nth(before + 1).locator('[dir]');
  const text = (await answer.textContent()) ?? '';
  await owner.bringToFront();
  await owner.getByText(text).last().waitFor();
}
