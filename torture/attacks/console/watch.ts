// Reads a page completely: scrolls everything to its end and collects the text. Invariant: records every script that
// ran, every attempted request, every policy violation, every dialog, and every element that no page of ours creates.
import type { ConsoleView } from '@relay/testing/e2e/console/browser';
import { evaluate } from '@relay/testing/e2e/console/evaluate';

/** Elements that no page of the console contains; they could only come from a payload. */
const FOREIGN = [
  ...['script:not([src^="/"])', 'iframe', 'object', 'embed', 'base', 'marquee', 'video', 'audio'],
  ...['math', 'template', 'form[action]', '[ping]', '[srcdoc]', '[formaction]', '[poster]'],
  ...[
    '[onerror]',
    '[onload]',
    '[onclick]',
    '[onfocus]',
    '[onmouseover]',
    '[ontoggle]',
    '[onbegin]',
  ],
  ...['a[href^="javascript:" i]', 'a[href^="data:"]', 'a[href*="sentinel"]', '[src*="sentinel"]'],
  ...['[href*="sentinel"]', '[style*="sentinel"]', 'style:not([nonce]):not([data-mantine-styles])'],
].join(', ');

/** Buttons that load more of a list. */
const MORE = '^(Show (more|all|older messages|[0-9]+ more)|Next)';

/** Collects text while scrolling everything up and down, a screen at a time, and loading more of each list. */
const READ = `(async () => {
  const texts = new Set();
  const read = () => {
    for (const element of document.querySelectorAll('main, [role="dialog"]')) {
      texts.add(element.textContent);
      for (const field of element.querySelectorAll('input, textarea')) texts.add(field.value);
    }
  };
  const still = (ms) => new Promise((done) => setTimeout(done, ms));
  // A slow machine draws when it can; on a busy one no idle moment may come for long.
  const drawn = () => new Promise((done) =>
    requestAnimationFrame(() => requestIdleCallback(done, { timeout: 1_000 })));
  const isBusy = () => document.querySelector('main [aria-busy="true"], main [data-loading="true"]');
  const loaded = async () => {
    await drawn();
    for (let waits = 0; isBusy() && waits < 200; waits += 1) await still(50);
    await drawn();
  };
  const whatScrolls = () => [document.scrollingElement, ...document.querySelectorAll('main *')].filter(
    (element) => element.scrollHeight > element.clientHeight + 4 &&
      (element === document.scrollingElement || /auto|scroll/.test(getComputedStyle(element).overflowY)),
  );
  const scroll = async (element, way) => {
    for (let turn = 0; turn < 80; turn += 1) {
      const before = element.scrollTop;
      const step = () => { element.scrollTop += way * Math.max(200, element.clientHeight * 0.8); };
      step();
      await drawn();
      // What is older may only be on its way.
      if (element.scrollTop === before) { await still(100); await loaded(); step(); await drawn(); }
      read();
      if (element.scrollTop === before) break;
    }
  };
  await loaded();
  for (let pages = 0; pages < 12; pages += 1) {
    read();
    for (const element of whatScrolls()) {
      // What is above was read before more was asked for.
      if (pages === 0 && element.scrollTop > 0) await scroll(element, -1);
      await scroll(element, 1);
    }
    const more = [...document.querySelectorAll('main button:not(:disabled)')]
      .find((button) => new RegExp(${JSON.stringify(MORE)}).test(button.textContent.trim()));
    if (more === undefined) break;
    more.click();
    await still(100);
    await loaded();
  }
  const foreign = [...document.body.querySelectorAll(${JSON.stringify(FOREIGN)})];
  return { texts: [...texts], foreign: foreign.map((element) => element.outerHTML.slice(0, 200)) };
})()`;

export interface Watch {
  /** Scripts that ran, dialogs, foreign elements: what must not happen. */
  readonly hits: readonly string[];
  /** Reads the current page. */
  read(): Promise<string>;
}

export async function watch({ page }: ConsoleView): Promise<Watch> {
  const hits: string[] = [];
  await page.exposeFunction('__hit', (id: unknown) => hits.push(`a script ran: ${String(id)}`));
  await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    __hit('policy: ' + event.violatedDirective + ' ' + event.blockedURI), true)`);
  page.on('dialog', (dialog) => {
    hits.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('popup', (popup) => hits.push(`a window: ${popup.url()}`));
  return {
    hits,
    async read() {
      const { texts, foreign } = await evaluate<Record<'texts' | 'foreign', string[]>>(page, READ);
      hits.push(...foreign.map((html) => `at ${page.url()}: ${html}`));
      return texts.join('\n');
    },
  };
}

/** Without invisible characters: spaces, direction marks, control characters. */
export const bare = (text: string): string => text.replace(/[\p{C}\s]/gu, '');
