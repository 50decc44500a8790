// Takes the pictures, as PNG for close inspection or as a small WebP made by the browser, and joins a page's small ones
// on one sheet with a row for each state.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

const QUALITY = 60;
/** Height of a row on a sheet, the same for desktop and phone. */
const HEIGHT = 440;
const WIDTH = 2 * Math.round(HEIGHT * 1.6) + 2 * Math.round((HEIGHT * 390) / 844) + 5 * 14;
const SEEN = ['desktop-light', 'desktop-dark', 'phone-light', 'phone-dark'] as const;

/** The moments on a sheet, by label. */
export type Rows = Readonly<Record<string, string>>;

export interface Camera {
  take(page: Page, name: string): Promise<void>;
  /** Uses the pictures in the folder, also from an earlier run; false if one is missing. */
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
