// Pictures of Home in a Chromium, on a phone and on a computer, for each morning of the simulated week.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ConsoleView,
  openChromium,
  openConsoleView,
  signIn,
} from '@relay/testing/e2e/console/browser';
import { untilLoaded } from '@relay/testing/e2e/console/pages';
import type { SilenceHarness } from '../silence/harness.ts';

const WIDTHS = [390, 1280] as const;

interface Mornings {
  picture(n: number): Promise<void>;
  close(): Promise<void>;
}

/** Without a folder no picture is taken. */
export async function openMornings(
  stage: SilenceHarness,
  folder: string | null,
): Promise<Mornings> {
  if (folder === null) return { picture: async () => {}, close: async () => {} };
  await mkdir(folder, { recursive: true });
  const browser = await openChromium();
  const views = new Map<number, ConsoleView>();
  for (const width of WIDTHS) {
    const size = { width, height: width < 600 ? 844 : 900 };
    const view = await openConsoleView(browser, { api: stage.api }, { ...size, isStill: true });
    await view.page.clock.setFixedTime(stage.clock.now());
    await signIn(view, { relay: stage.relay });
    views.set(width, view);
  }
  return {
    async picture(n) {
      for (const [width, { page }] of views) {
        await page.clock.setFixedTime(stage.clock.now());
        await page.goto(`${stage.api}/`);
        // Its last card is rendered when the page is idle.
        await page.getByRole('heading', { name: 'Recent decisions' }).waitFor();
        await untilLoaded(page);
        await page.waitForTimeout(2_000);
        await page.screenshot({ path: join(folder, `morning-${n}-${width}.png`), fullPage: true });
      }
    },
    close: () => browser.close(),
  };
}
