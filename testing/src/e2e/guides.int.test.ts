// Runs every command of the README, the start page and the guides in order against a demo prepared for the page: each
// must exit as expected, and print what the page shows.
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Demo, startDemo } from './demo.ts';
import { type Block, blocksOf, filesOf } from './guides/blocks.ts';
import { compare } from './guides/compare-output.ts';
import { ANA, PAGES, type Preparation } from './guides/prepare.ts';
import { type GuideShell, openGuideShell } from './guides/shell.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Why a block may stay unrun, and how many blocks may give each reason: a new one must be reviewed. */
const REASONS: Readonly<Record<string, number>> = {
  'needs a PostgreSQL server of your own': 1,
  'needs Docker': 2,
  'needs n8n': 2,
};

const pages = ['README.md', ...globSync('docs/{start,guides/*}.md', { cwd: ROOT }).sort()];
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
const blocks = new Map(pages.map((page) => [page, blocksOf(textOf(page))] as const));

describe('a block that is not run here gives a reason that', () => {
  const reasons = [...blocks.values()].flat().flatMap(({ reason }) => reason ?? []);

  const files = globSync(['{testing,packages,scripts,.ci}/**/{*.int.test.ts,nightly,run}'], {
    cwd: ROOT,
    exclude: ['**/node_modules', '**/dist'],
  });
  const named = ({ reason }: Block): string | undefined =>
    reason?.kind === 'ran-by' ? files.find((file) => file.endsWith(reason.text)) : undefined;

  it('names an existing test or script', () => {
    const missing = [...blocks.values()]
      .flat()
      .filter((block) => block.reason?.kind === 'ran-by' && named(block) === undefined);
    expect(missing).toEqual([]);
  });

  it('names a test that contains the same command', () => {
    const unsaid = [...blocks.values()].flat().flatMap((block) => {
      const file = named(block);
      if (file?.endsWith('.int.test.ts') !== true) return [];
      const said = textOf(file);
      const verbs = block.steps.map(({ command }) => /\brelay (--)?([a-z]+)/.exec(command)?.[2]);
      return verbs.filter((verb) => verb === undefined || !said.includes(verb));
    });
    expect(unsaid).toEqual([]);
  });

  it('or is one of the reviewed reasons, no more often than reviewed', () => {
    const given: Record<string, number> = {};
    for (const { kind, text } of reasons)
      if (kind === 'not-run') given[text] = (given[text] ?? 0) + 1;
    expect(given).toEqual(REASONS);
  });
});

it('every page with commands is prepared', () => {
  const run = pages.filter((page) => blocks.get(page)?.some(({ reason }) => reason === null));
  expect(run).toEqual(PAGES.map(({ page }) => page).sort(inOrder));
});

const inOrder = (one: string, other: string): number => pages.indexOf(one) - pages.indexOf(other);

describe.each(PAGES)('$page', (preparation) => {
  let demo: Demo;
  let place: GuideShell;
  const closers: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    demo = await openDemo(preparation, closers);
    place = await openGuideShell(demo);
    closers.push(() => place.close());
    for (const [name, content] of filesOf(textOf(preparation.page)))
      await place.file(name, content);
    await preparation.prepare(demo, place);
  }, 240_000);
  afterAll(async () => {
    for (const close of closers.reverse()) await close();
  }, 120_000);

  const run = (blocks.get(preparation.page) ?? []).filter(({ reason }) => reason === null);
  const ids = new Map<string, string>();
  it.each(run)('line $line', { timeout: 240_000 }, async (block: Block) => {
    for (const { command: written, shown } of block.steps) {
      const command = [...ids].reduce((text, [id, real]) => text.replaceAll(id, real), written);
      await before(preparation, command, demo);
      const { exit, out, err } = await place.run(command);
      const { difference, ids: learned } = compare(shown, out + err, preparation.own);
      const expected = expectedExit(preparation, command);
      expect({ command, exit, difference, err: exit === expected ? '' : err }).toEqual({
        ...{ command, exit: expected, difference: null, err: '' },
      });
      for (const [id, real] of learned) ids.set(id, real);
    }
  });
});

async function before({ before: acts = {} }: Preparation, command: string, demo: Demo) {
  for (const [begins, act] of Object.entries(acts))
    if (command.replace(/^npx /, '').startsWith(begins)) await act(demo);
}

function expectedExit({ exits = {} }: Preparation, command: string): number {
  const found = Object.entries(exits).find(([begins]) => command.startsWith(begins));
  return found?.[1] ?? 0;
}

async function openDemo(
  { privateServer }: Preparation,
  closers: (() => Promise<unknown>)[],
): Promise<Demo> {
  const demo = await startDemo({
    settings: { pacing: { enabled: false }, zone: 'Europe/Berlin' },
    database: privateServer === true ? 'private' : 'shared',
  });
  closers.push(() => demo.stop());
  await demo.phones.add(ANA, 'Ana');
  await demo.link(ANA);
  return demo;
}
