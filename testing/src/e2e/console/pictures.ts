// Takes pictures of the console: starts a daemon on the simulated network, signs in a real Chromium, and takes a
// picture of each page and moment at both widths and in both colour schemes. Fails when a page complains, for example
// about its content policy.
//   node testing/src/e2e/console/pictures.ts --out <folder> [--built <folder>] [--only <name>]… [--small] [--keep]
//   node testing/src/e2e/console/pictures.ts --out <folder> --locale ar
// Small ones are WebP at one device pixel per pixel, with a sheet for each page in its five states. With --keep the
// sheets, and existing pictures, are updated in docs/images/console. With --locale each page is taken once in that
// language: the other moments are reached by English words.
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { builtIn, openBuilds } from '../built.ts';
import { startDemo } from '../demo.ts';
import { type ConsoleView, openChromium, openConsoleView, signIn } from './browser.ts';
import { camera } from './camera.ts';
import { MOMENTS } from './moments/all.ts';
import { type Moment, still } from './moments/moment.ts';
import { untilLoaded } from './pages.ts';
import { addScenePeople, OWNER, playScene } from './scene.ts';
import { sendFiles } from './scenes/media.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    built: { type: 'string' },
    only: { type: 'string', multiple: true },
    small: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    locale: { type: 'string' },
  },
});
const KEPT = resolve(import.meta.dirname, '../../../../docs/images/console');
const out = values.out;
if (out === undefined) throw new Error('Say where the pictures go: --out <folder>.');
mkdirSync(out, { recursive: true });
const { take, sheet } = camera(out, values.small || values.keep);

const SIZES = [
  { size: 'desktop', width: 1440, height: 900 },
  { size: 'phone', width: 390, height: 844 },
] as const;
type Size = (typeof SIZES)[number];

const isPage = (name: string): boolean => `${name}-loading` in MOMENTS;

/** By its name or its page: `tools` means all its moments. */
const isNamed = (name: string): boolean =>
  values.only?.some((only) => name === only || name.startsWith(`${only}-`)) ?? true;

const isChosen = (name: string): boolean =>
  isNamed(name) && (values.locale === undefined || isPage(name));
const chosen = Object.entries(MOMENTS).filter(([name]) => isChosen(name));
const of = (scene: Moment['scene'], { size }: Size) =>
  chosen.filter(([, moment]) => moment.scene === scene && (moment.only ?? size) === size);

const complaints: string[] = [];

/** Complaints that the moment itself causes are expected. */
const isExpected = (complaint: string): boolean =>
  /net::ERR_|status of (400|404|500)/.test(complaint);

async function open({ width, height }: Size): Promise<ConsoleView> {
  const scale = values.small || values.keep ? { scale: 1 } : {};
  const locale = values.locale === undefined ? {} : { locale: values.locale };
  const options = { width, height, isStill: true, ...scale, ...locale };
  const looking = await openConsoleView(browser, demo, options);
  await signIn(looking, demo);
  return looking;
}

async function close(looking: ConsoleView): Promise<void> {
  complaints.push(...looking.complaints.filter((complaint) => !isExpected(complaint)));
  await looking.close();
}

/** A moment is set up once, and taken in both colour schemes. */
async function picture(
  { page }: Pick<ConsoleView, 'page'>,
  name: string,
  moment: Moment,
  size: Size,
) {
  try {
    await moment.reach(page, demo);
    await page.waitForTimeout(900);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(300);
      await take(page, `${name}-${size.size}-${colorScheme}`);
    }
    await moment.leave?.(page, demo);
  } catch (error) {
    await take(page, `failed-${name}-${size.size}`);
    complaints.push(`${name}: ${String(error).split('\n', 2).join(' ')}`);
  } finally {
    await page.emulateMedia({ colorScheme: 'light' });
  }
}

async function pictures(scene: Moment['scene']): Promise<void> {
  for (const size of SIZES) {
    const looking = await open(size);
    for (const [name, moment] of of(scene, size)) {
      if (moment.away) continue;
      await looking.page.goto(moment.path);
      await looking.page.waitForTimeout(600);
      await picture(looking, name, moment, size);
    }
    await close(looking);
  }
}

/** All pages are open when the daemon stops, and it is restarted once. */
async function absence(size: Size): Promise<void> {
  const moments = of('live', size).filter(([, moment]) => moment.away);
  if (moments.length === 0) return;
  const looking = await open(size);
  const pages = [];
  for (const [, moment] of moments) {
    const page = await looking.page.context().newPage();
    await page.goto(moment.path);
    await moment.open?.(page, demo);
    // When Relay is gone, the page shows what it has loaded.
    await untilLoaded(page);
    pages.push(page);
  }
  await demo.kill();
  for (const [index, [name, moment]] of moments.entries()) {
    const page = pages[index];
    if (page === undefined) continue;
    // A background tab is not rendered.
    await page.bringToFront();
    await picture({ page }, name, moment, size);
  }
  await demo.restart();
  await close(looking);
}

/** A detail page has no empty state; its sheet shows a missing item instead. */
async function sheets(): Promise<void> {
  const pages = Object.keys(MOMENTS).filter(isPage);
  for (const name of pages) {
    const none = `${name}-empty` in MOMENTS ? 'empty' : 'missing';
    await sheet(browser, `sheet-${name}`, {
      full: name,
      [none]: `${name}-${none}`,
      loading: `${name}-loading`,
      'could not be loaded': `${name}-error`,
      'Relay has not responded': `${name}-gone`,
    });
  }
}

function keep(folder: string): void {
  const isKept = (file: string) => file.startsWith('sheet-') || existsSync(join(KEPT, file));
  for (const file of readdirSync(folder).filter(isKept))
    copyFileSync(join(folder, file), join(KEPT, file));
}

const builds = values.built === undefined ? openBuilds() : null;
const demo = await startDemo({
  built: values.built ?? (await builtIn(builds?.folder ?? '')),
  settings: { transcription: { by: 'endpoint', model: 'scripted' } },
});
const browser = await openChromium();
try {
  await addScenePeople(demo);
  for (const size of SIZES) {
    const stranger = await openConsoleView(browser, demo, { ...size, scale: 1, isStill: true });
    await stranger.page.goto('/');
    await picture(stranger, 'sign-in', still('/', 'unlinked'), size);
    await stranger.close();
  }
  await pictures('unlinked');
  if (chosen.some(([, { scene }]) => scene === 'live')) {
    await playScene(demo);
    await sendFiles(demo, '14155550104', OWNER);
    await pictures('live');
    for (const size of SIZES) await absence(size);
  }
  if (values.small || values.keep) await sheets();
} finally {
  await browser.close();
  await demo.stop();
  builds?.remove();
}
if (values.keep) keep(out);
for (const complaint of new Set(complaints)) console.error(complaint);
console.log(`Pictures in ${out}; ${complaints.length} complaints.`);
process.exitCode = complaints.length === 0 ? 0 : 1;
