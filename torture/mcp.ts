// `npm run torture -- mcp`: fuzzed and valid calls over every transport that clients have; then the answers are
// compared with the database. Nothing may crash, hang or be answered as an internal error, and an invalid call may have
// no effect.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerVerdict } from '@relay/contract/api/ledger';
import type { Demo } from '@relay/testing/e2e/demo';
import { openTortureHarness, type TortureHarness } from './harness.ts';
import { unknownTo } from './mcp/calls.ts';
import { countEffects } from './mcp/effects.ts';
import { createMcpFixture, invite } from './mcp/fixture.ts';
import { doneBy, judge, neverDone } from './mcp/judge.ts';
import { type Fate, Lane, type McpLaneContext } from './mcp/lane.ts';
import { closeTransports } from './mcp/transports.ts';
import { randomFrom } from './random.ts';

export interface McpTorture {
  readonly calls: number;
  readonly seed: number;
}

export interface McpReport {
  readonly seed: number;
  readonly calls: number;
  /** By what was sent and over which transport. */
  readonly doors: Readonly<Record<string, number>>;
  readonly answers: Readonly<Record<string, number>>;
  /** Valid calls that succeeded, by tool. */
  readonly done: Readonly<Record<string, number>>;
  /** Rows created by calls: messages, approvals, schedules, conversations. */
  readonly effects: number;
  readonly ledgerRows: number;
  readonly memoryMb: { readonly before: number; readonly after: number };
  readonly faults: readonly string[];
  readonly seconds: number;
}

const AT_ONCE = 12;
export async function tortureMcp({ calls, seed }: McpTorture): Promise<McpReport> {
  const began = performance.now();
  const ground = await openTortureHarness([], invite);
  try {
    const report = await new Torture(ground, seed).run(calls);
    return { seed, calls, ...report, seconds: Math.round((performance.now() - began) / 1_000) };
  } finally {
    closeTransports();
    await ground.close();
  }
}

class Torture {
  readonly #demo: Demo;
  readonly #url: string;
  readonly #seed: number;
  readonly #fates: Fate[] = [];
  readonly #faults: string[] = [];
  readonly #doors: Record<string, number> = {};
  readonly #answers: Record<string, number> = {};

  constructor({ demo, url }: TortureHarness<void>, seed: number) {
    this.#demo = demo;
    this.#url = url;
    this.#seed = seed;
  }

  async run(calls: number): Promise<Omit<McpReport, 'seed' | 'calls' | 'seconds'>> {
    const { pid } = this.#demo;
    const harness: McpLaneContext = {
      ...(await createMcpFixture(this.#demo)),
      random: (n) => randomFrom(this.#seed * 1_000_003 + n),
      note: (fate) => this.#note(fate),
    };
    const strange = unknownTo(harness.tools);
    if (strange.length > 0) this.#faults.push(`no valid call is known of ${strange.join(', ')}`);
    const guarded = (await countEffects(this.#url)).guarded;
    const before = memoryOf(pid);
    await this.#fuzz(harness, calls);
    const effects = await countEffects(this.#url);
    if (effects.guarded !== guarded) this.#faults.push('grants, tokens or people have changed');
    const names = harness.tools.map(({ name }) => name);
    const done = doneBy(names, this.#fates);
    this.#faults.push(...judge(this.#fates, effects), ...neverDone(done));
    const ledgerRows = await this.#look(pid);
    return {
      doors: this.#doors,
      answers: this.#answers,
      done,
      effects: [...effects.byMark.values()].reduce((sum, count) => sum + count, 0),
      ledgerRows,
      memoryMb: { before, after: memoryOf(pid) },
      faults: this.#faults,
    };
  }

  async #fuzz(harness: McpLaneContext, calls: number): Promise<void> {
    let next = 0;
    const lanes = Array.from({ length: AT_ONCE }, () => new Lane(harness));
    await Promise.all(
      lanes.map(async (lane) => {
        while (next < calls) {
          const n = next++;
          if (n % 10_000 === 9_999) console.error(`${n + 1} of ${calls}`);
          await lane.step(n);
        }
      }),
    );
    for (const lane of lanes) lane.close();
  }

  #note(fate: Fate): void {
    const { door, heard, kind, tool, sent } = fate;
    this.#fates.push(fate);
    this.#doors[door] = (this.#doors[door] ?? 0) + 1;
    this.#answers[heard.what] = (this.#answers[heard.what] ?? 0) + 1;
    const wrongly = heard.done && kind === 'broken' ? 'was done' : null;
    const fault = heard.fault ?? wrongly;
    if (fault !== null) this.#faults.push(`${tool.slice(0, 40)} (${door}): ${fault}: ${sent}`);
  }

  async #look(pid: number): Promise<number> {
    const demo = this.#demo;
    if (demo.pid !== pid || demo.daemon?.child.exitCode !== null) this.#faults.push('it crashed');
    const { status } = await demo.relay.call('GET', '/api/status');
    if (status !== 200) this.#faults.push(`afterwards /api/status answers ${status}`);
    const { problems, rows } = await verdictOf(demo);
    this.#faults.push(...problems);
    const log = readFileSync(join(demo.home, 'relay.log'), 'utf8').split('\n');
    const errors = log.filter((line) => /"level":"(error|fatal)"/.test(line));
    this.#faults.push(...errors.map((line) => `logged: ${line.slice(0, 300)}`));
    return rows;
  }
}

async function verdictOf({ relay }: Demo): Promise<{ problems: string[]; rows: number }> {
  const verdict = await relay.ok<LedgerVerdict>('GET', '/api/ledger/verify?full=true');
  return { problems: verdict.whole ? [] : ['the ledger is not whole'], rows: verdict.rows };
}

function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
}
