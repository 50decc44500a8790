// Takes the pictures: each as a PNG to look at closely, or small, as a WebP that the browser itself makes; and joins
// the small ones of a page on one sheet, a row for each of its states.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

const QUALITY = 60;
/** Of a row on a sheet: a desktop and a phone are as high as each other there. */
const HEIGHT = 440;
const WIDTH = 2 * Math.round(HEIGHT * 1.6) + 2 * Math.round((HEIGHT * 390) / 844) + 5 * 14;
const SEEN = ['desktop-light', 'desktop-dark', 'phone-light', 'phone-dark'] as const;

/** The moments on a sheet, by the word for each. */
export type Rows = Readonly<Record<string, string>>;

export interface Camera {
  take(page: Page, name: string): Promise<void>;
  /** Of what lies in the folder, also from an earlier time; false where some of it was never taken. */
  sheet(browser: Browser, name: string, rows: Rows): Promise<boolean>;
}

export function camera(folder: string, isSmall: boolean): Camera {
  const fileOf = (name: string): string => join(folder, `${name}.webp`);
  return {
    async take(page, name) {
      if (isSmall) await webp(page, fileOf(name));
      else await page.screenshot({ path: join(folder, `${name}.png`) });
    },
    async sheet(browser, name, rows) {
      const files = Object.entries(rows).map(
        ([word, moment]) => [word, SEEN.map((seen) => fileOf(`${moment}-${seen}`))] as const,
      );
      if (!files.every(([, row]) => row.every((file) => existsSync(file)))) return false;
      const viewport = { width: WIDTH, height: files.length * (HEIGHT + 32) + 14 };
      const page = await browser.newPage({ viewport });
      await page.setContent(sheetOf(files));
      await webp(page, fileOf(name));
      await page.close();
      return true;
    },
  };
}

async function webp(page: Page, path: string): Promise<void> {
  const debug = await page.context().newCDPSession(page);
  const { data } = await debug.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  await debug.detach();
  writeFileSync(path, Buffer.from(data, 'base64'));
}

function sheetOf(files: readonly (readonly [string, readonly string[]])[]): string {
  const rows = files.map(([word, row]) => {
    const images = row.map((file) => readFileSync(file).toString('base64'));
    return `<b>${word}</b><p>${images.map((data) => `<img src="data:image/webp;base64,${data}">`).join('')}</p>`;
  });
  return `<!doctype html><style>
    body { margin: 0; padding: 0 14px; background: #b9b7b0; font: 13px/18px system-ui; }
    b { display: block; padding: 8px 0 4px; } p { display: flex; gap: 14px; margin: 0 0 2px; }
    img { display: block; height: ${HEIGHT}px; }
  </style>${rows.join('')}`;
}
