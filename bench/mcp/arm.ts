// Both sides of the comparison in one process: the daemon's HTTP server with its guard and its routes over a real
// database, and the same tools called directly.
import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { openChatter, type Person } from '@relay/daemon/features/search/testing/chatter';
import { createHttpServer } from '@relay/daemon/interfaces/http/server';
import { standIns } from '@relay/daemon/interfaces/http/testing/stand-ins';
import { CallOrder, callTool } from '@relay/daemon/interfaces/mcp/call';
import { openClientApi } from '@relay/daemon/interfaces/mcp/client-api';
import type { ClientDeps } from '@relay/daemon/interfaces/mcp/tool';
import { createTokenService } from '@relay/daemon/pipeline/gate/tokens';
import { createClientTokens, createHostedClientTokens } from '@relay/daemon/platform/db/tokens';
import { type BenchHarness, type BenchServer, openBenchHarness } from '../harness.ts';
import { text, word } from '../memory/vocabulary.ts';
import { serve } from '../worker.ts';

export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

interface Opening {
  readonly target: BenchServer['target'];
  readonly daemon: BenchServer['daemon'];
  readonly programs: number;
  readonly people: number;
  readonly messages: number;
}

export interface McpArmInfo {
  readonly url: string;
  readonly secrets: readonly string[];
  /** A chat, as get_chats returns it. */
  readonly chat: string;
}

let bare: ((call: ToolCall) => Promise<unknown>) | null = null;

const methods = {
  open: async ({
    target,
    daemon,
    programs: count,
    people,
    messages,
  }: Opening): Promise<McpArmInfo> => {
    const bench = await openBenchHarness({ target, daemon });
    const { db, lease } = bench.world;
    const chatter = await fill(bench, people, messages);
    const verbs = createTokenService({ db, lease, changed: () => {} });
    const secrets: string[] = [];
    for (let n = 0; n < count; n++) {
      const wish = { name: `program ${n}`, scopes: ['messages:read' as const], confirm: true };
      secrets.push((await verbs.create(wish)).secret);
    }
    const tokens = createClientTokens(db, lease.account);
    const { deps } = standIns();
    // Tools that only read need no more than this.
    const world = {
      ...bench.world,
      tokens,
      transport: deps.whatsapp,
      search: chatter.search,
      callOrder: new CallOrder(),
      admins: [],
      zone: 'UTC',
      onChange: () => {},
    } as unknown as ClientDeps;
    const app = await createHttpServer({
      ...deps,
      port: 0,
      clientTokens: createHostedClientTokens(db),
      clients: openClientApi(world),
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const hash = createHash('sha256')
      .update(secrets[0] ?? '')
      .digest('hex');
    bare = ({ tool, input }) => callTool(world, hash, tool, input, DOOR);
    const { port } = app.server.address() as AddressInfo;
    const chat = `${phoneOf(people)}@s.whatsapp.net`;
    return { url: `http://127.0.0.1:${port}`, secrets, chat };
  },

  /** In milliseconds. */
  bare: async (call: ToolCall): Promise<number> => {
    const began = performance.now();
    await bare?.(call);
    return performance.now() - began;
  },

  /** CPU time of this process so far, in milliseconds: independent of other load on the machine. */
  cpu: (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
};

const phoneOf = (n: number) => `4915100${100_000 + n}`;

async function fill(bench: BenchHarness, count: number, messages: number) {
  const { database, world } = bench;
  const sql = async (statement: string, values: readonly unknown[] = []) =>
    (await database.pool.query(statement, [...values])).rows;
  const { account } = world.lease;
  const chatter = await openChatter(
    { database, account, sql } as unknown as Parameters<typeof openChatter>[0],
    { lease: world.lease },
  );
  const people: Person[] = [];
  for (let n = 1; n <= count; n++) {
    const person = await chatter.person(`${word(n)} ${word(n + 1)}`, phoneOf(n));
    await chatter.grant(person);
    people.push(person);
  }
  const now = Date.now();
  for (let from = 0; from < messages; from += 1_000) {
    await chatter.say(
      ...Array.from({ length: 1_000 }, (_, n) => {
        const { chat, contact } = people[(from + n) % count] as Person;
        const at = new Date(now - (messages - from - n) * 60_000);
        return { chat, by: n % 2 === 0 ? contact : null, text: text(), at };
      }),
    );
  }
  await sql('VACUUM ANALYZE');
  return chatter;
}

const DOOR = {
  signal: new AbortController().signal,
  key: null,
  progress() {},
  confirm: async () => 'cannot' as const,
};

export type McpArm = typeof methods;
serve(methods);
