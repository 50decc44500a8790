// Checks the accessibility of a page with axe. Its script is injected by the debugger, which bypasses the content
// policy; the daemon's policy stays as shipped.
import axe, { type AxeResults, type Result } from 'axe-core';
import type { Page } from 'playwright-core';
import { evaluate } from './evaluate.ts';

const GRAVE: readonly Result['impact'][] = ['serious', 'critical'];
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Rules whose result can depend on the colour scheme. */
const OF_COLOURS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };
const MOST_NODES = 3;

/** Serious and critical findings, one line each with place and reason; empty for a good page. */
export async function seriousFindings(
  page: Page,
  { onlyColours = false }: { readonly onlyColours?: boolean } = {},
): Promise<string[]> {
  await evaluate(page, STILL);
  await evaluate(page, `globalThis.axe ?? (() => { ${axe.source} })(); undefined`);
  const runOnly = onlyColours ? OF_COLOURS : RULES;
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
  const { violations } = await evaluate<AxeResults>(page, `axe.run(document, ${options})`);
  return violations.filter(({ impact }) => GRAVE.includes(impact)).map(told);
}

export async function expectNoSeriousFindings(page: Page): Promise<void> {
  const findings = await seriousFindings(page);
  if (findings.length > 0) throw new Error(`axe finds at ${page.url()}:\n${findings.join('\n')}`);
}

/** Waits for animations, since colours in the middle of a fade mean nothing. */
const STILL = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
  .map(({ finished }) => finished)).then(() => {})`;

function told({ impact, id, help, nodes }: Result): string {
  const where = nodes.slice(0, MOST_NODES).map(({ target, html, failureSummary }) => {
    const why = (failureSummary ?? '').split('\n').slice(1).join(' ').replace(/\s+/g, ' ').trim();
    return `    ${target.join(' ')}: ${why}\n      ${html.slice(0, 160)}`;
  });
  const more = nodes.length > MOST_NODES ? [`    and ${nodes.length - MOST_NODES} more`] : [];
  return [`  ${impact}: ${help} (${id})`, ...where, ...more].join('\n');
}
