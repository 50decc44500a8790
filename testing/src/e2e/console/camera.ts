// Takes the pictures: each as a PNG to look at closely, or small, as a WebP that the browser itself makes; and puts the
// small ones of a page together on one sheet.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

const QUALITY = 60;
const THUMB = 360;

export interface Camera {
  take(page: Page, name: string): Promise<void>;
  /** One picture of many, for each group of names. */
  sheets(browser: Browser, groupOf: (name: string) => string): Promise<void>;
}

export function camera(folder: string, isSmall: boolean): Camera {
  const taken: string[] = [];
  return {
    async take(page, name) {
      if (isSmall) {
        await webp(page, join(folder, `${name}.webp`));
        taken.push(name);
      } else await page.screenshot({ path: join(folder, `${name}.png`) });
    },
    async sheets(browser, groupOf) {
      const page = await browser.newPage({
        viewport: { width: 4 * (THUMB + 16) + 16, height: 800 },
      });
      for (const [group, names] of Map.groupBy(taken, groupOf)) {
        await page.setContent(sheet(folder, names));
        const height = (await page.locator('main').boundingBox())?.height ?? 800;
        await page.setViewportSize({ width: 4 * (THUMB + 16) + 16, height: Math.ceil(height) });
        await webp(page, join(folder, `sheet-${group}.webp`));
      }
      await page.close();
    },
  };
}

async function webp(page: Page, path: string): Promise<void> {
  const debug = await page.context().newCDPSession(page);
  const { data } = await debug.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  await debug.detach();
  writeFileSync(path, Buffer.from(data, 'base64'));
}

function sheet(folder: string, names: readonly string[]): string {
  const figures = names.map((name) => {
    const data = readFileSync(join(folder, `${name}.webp`)).toString('base64');
    return `<figure><img src="data:image/webp;base64,${data}"><figcaption>${name}</figcaption></figure>`;
  });
  return `<!doctype html><style>
    body { margin: 0; background: #d9d7d0; font: 12px system-ui; }
    main { display: grid; grid-template-columns: repeat(4, ${THUMB}px); gap: 16px; padding: 16px; align-items: end; }
    figure { margin: 0; } img { display: block; max-width: 100%; max-height: 480px; } figcaption { padding-top: 4px; }
  </style><main>${figures.join('')}</main>`;
}
