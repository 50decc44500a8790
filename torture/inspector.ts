// `npm run torture -- inspector --inspector <folder>`: the command line of MCP's official Inspector lists and calls
// every tool, over standard input and HTTP, in both protocol eras, without a complaint. It is not a dependency of
// Relay: pass the folder of `@modelcontextprotocol/inspector`.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListedTool } from '@relay/contract/api/tools';
import { removeFolder } from '@relay/testing/remove-folder';
import { openTortureHarness } from './harness.ts';
import { makeCall } from './mcp/calls.ts';
import { createMcpFixture, invite, type McpFixture, secretFor } from './mcp/fixture.ts';
import { closeTransports } from './mcp/transports.ts';
import { randomFrom } from './random.ts';

export interface InspectorReport {
  readonly inspector: string;
  readonly tools: number;
  /** Per transport: how many tools were listed and called, and how many calls succeeded. */
  readonly ways: Readonly<Record<string, { listed: number; called: number; done: number }>>;
  readonly faults: readonly string[];
  readonly seconds: number;
}

const ERAS = ['legacy', 'modern'] as const;
const PATIENCE_MS = 120_000;
/** Refusals that a valid call may get here, where no group is observed and an agent may have finished. */
const REFUSALS = /No group|observed|not possible now|digest/i;

interface Said {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

export async function tortureInspector(folder: string): Promise<InspectorReport> {
  const began = performance.now();
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const ground = await openTortureHarness([], invite);
  const scratch = await mkdtemp(join(tmpdir(), 'relay inspector '));
  try {
    const begun = await createMcpFixture(ground.demo);
    const inspection = new Inspection(folder, scratch, begun);
    const stdio = (secret: string) => [
      ...['-e', `RELAY_HOME=${ground.demo.home}`, '-e', `RELAY_TOKEN=${secret}`],
      ...[process.execPath, join(ground.built, 'bin/relay.js'), 'mcp'],
    ];
    const http = (secret: string) => [
      ...['--server-url', `http://127.0.0.1:${begun.port}/mcp`, '--transport', 'http'],
      ...['--header', `Authorization: Bearer ${secret}`],
    ];
    for (const era of ERAS) {
      await inspection.way(`stdio, ${era}`, era, stdio);
      await inspection.way(`http, ${era}`, era, http);
    }
    const seconds = Math.round((performance.now() - began) / 1_000);
    return { inspector: version, tools: begun.tools.length, ...inspection.figures(), seconds };
  } finally {
    closeTransports();
    await removeFolder(scratch);
    await ground.close();
  }
}

class Inspection {
  readonly #program: string;
  readonly #scratch: string;
  readonly #begun: McpFixture;
  readonly #ways: Record<string, { listed: number; called: number; done: number }> = {};
  readonly #faults: string[] = [];
  readonly #random = randomFrom(1);
  #calls = 0;

  constructor(folder: string, scratch: string, begun: McpFixture) {
    this.#program = join(folder, 'clients/launcher/build/index.js');
    this.#scratch = scratch;
    this.#begun = begun;
  }

  figures(): Pick<InspectorReport, 'ways' | 'faults'> {
    return { ways: this.#ways, faults: this.#faults };
  }

  async way(name: string, era: string, target: (secret: string) => string[]): Promise<void> {
    const { reader, writer } = this.#begun.secrets;
    const figures = { listed: 0, called: 0, done: 0 };
    this.#ways[name] = figures;
    for (const secret of [reader, writer]) {
      const listed = await this.#run(era, target(secret), '--method', 'tools/list', '--strict');
      if (listed.exit !== 0) this.#faults.push(`${name}, tools/list: ${say(listed)}`);
      else figures.listed += resultOf<{ tools: unknown[] }>(listed)?.tools.length ?? 0;
      if (/portab|warning|schema/i.test(listed.err)) this.#faults.push(`${name}: ${listed.err}`);
    }
    for (const tool of inOrder(this.#begun.tools)) {
      figures.called += 1;
      if (await this.#call(name, era, target(secretFor(this.#begun, tool)), tool))
        figures.done += 1;
    }
    if (figures.listed !== this.#begun.tools.length)
      this.#faults.push(`${name}: some are not listed`);
  }

  async #call(name: string, era: string, target: string[], tool: ListedTool): Promise<boolean> {
    const { args } = makeCall(this.#random, this.#calls++, tool, 'valid', this.#begun.known);
    const said = await this.#run(
      ...([era, target, '--method', 'tools/call'] as const),
      ...['--tool-name', tool.name, '--tool-args-json', args],
    );
    const result = resultOf<{ isError?: boolean; structuredContent?: { schedule_id?: unknown } }>(
      said,
    );
    const made = result?.structuredContent?.schedule_id;
    if (typeof made === 'string') this.#begun.known.schedules.push(made);
    const done = said.exit === 0 && result?.isError !== true;
    if (!done && !REFUSALS.test(said.out + said.err)) {
      this.#faults.push(`${name}, ${tool.name}: ${say(said)}`);
    }
    return done;
  }

  #run(era: string, target: readonly string[], ...method: string[]): Promise<Said> {
    const options = ['--cli', '--format', 'json', '--protocol-era', era];
    const args = [this.#program, ...options, ...target, ...method];
    const env = { PATH: process.env.PATH, HOME: this.#scratch };
    return new Promise((resolve) => {
      execFile(process.execPath, args, { env, timeout: PATIENCE_MS }, (error, out, err) => {
        resolve({ exit: error === null ? 0 : Number(error.code ?? 1), out, err });
      });
    });
  }
}

/** Tools that cancel come last: they need something to cancel. */
const inOrder = (tools: readonly ListedTool[]): readonly ListedTool[] =>
  [...tools].sort(
    (a, b) => Number(a.name.startsWith('cancel')) - Number(b.name.startsWith('cancel')),
  );

function resultOf<T>({ out }: Said): T | null {
  try {
    const value = JSON.parse(out);
    return (value.result ?? value) as T;
  } catch {
    return null;
  }
}

const say = ({ exit, out, err }: Said): string => `exit ${exit} ${err} ${out}`.trim().slice(0, 600);
