// The overhead of MCP on a tool: a call by the official client over HTTP against the same call to the bare handler,
// alternating in one run; and how many calls per second fifty clients get for a minute.
import { type Limit, median, quantile } from './figures.ts';
import { benchServer } from './harness.ts';
import type { McpArm, ToolCall } from './mcp/arm.ts';
import type { ClientLoadResult, McpClients } from './mcp/clients.ts';
import { Worker } from './worker.ts';

const WARM_UP = 100;
const CALLS = 500;
const PROGRAMS = 50;
const SECONDS = 60;
const PEOPLE = 200;
const MESSAGES = 20_000;

export async function benchMcp(): Promise<readonly Limit[]> {
  const server = await benchServer();
  const arm: Worker<McpArm> = new Worker(new URL('./mcp/arm.ts', import.meta.url));
  const programs: Worker<McpClients> = new Worker(new URL('./mcp/clients.ts', import.meta.url));
  try {
    const opened = await arm.call('open', {
      target: server.target,
      daemon: server.daemon,
      programs: PROGRAMS,
      people: PEOPLE,
      messages: MESSAGES,
    });
    await programs.call('open', opened);
    const chats = { tool: 'get_chats', input: { unread_only: false } };
    const read = { tool: 'read_messages', input: { chat_id: opened.chat } };
    const compare = async (call: ToolCall): Promise<readonly Limit[]> => {
      const [http, bare]: [number[], number[]] = [[], []];
      for (let n = 0; n < WARM_UP + CALLS; n++) {
        const ms = await programs.call('call', call);
        const alone = await arm.call('bare', call);
        if (n < WARM_UP) continue;
        http.push(ms);
        bare.push(alone);
      }
      return added(call.tool, http, bare);
    };
    const compared = [...(await compare(read)), ...(await compare(chats))];
    console.log(`${PROGRAMS} programs for ${SECONDS} s …`);
    const before = await arm.call('cpu');
    const held = await programs.call('hold', { seconds: SECONDS, calls: [read, chats] });
    const cpu = (await arm.call('cpu')) - before;
    return [...compared, ...told(held, cpu)];
  } finally {
    await programs.end();
    await arm.end();
    await server.close();
  }
}

function added(tool: string, http: readonly number[], bare: readonly number[]): readonly Limit[] {
  const over = http.map((ms, n) => ms - (bare[n] ?? Number.NaN));
  return [
    { name: `${tool} bare, p50`, measured: median(bare), unit: 'ms' },
    { name: `${tool} bare, p95`, measured: quantile(bare, 0.95), unit: 'ms' },
    { name: `${tool} over HTTP, p50`, measured: median(http), unit: 'ms' },
    { name: `${tool} over HTTP, p95`, measured: quantile(http, 0.95), unit: 'ms' },
    { name: `added to ${tool}, p50`, measured: median(over), unit: 'ms' },
    {
      name: `${tool} over HTTP ÷ bare, p50`,
      measured: median(http) / median(bare),
      unit: '×',
      atMost: 5,
    },
  ];
}

const told = (
  { calls, perSecond, slowest, errors, p50, p95 }: ClientLoadResult,
  cpu: number,
): readonly Limit[] => [
  { name: `calls held for ${SECONDS} s by ${PROGRAMS} programs`, measured: perSecond, unit: '/s' },
  { name: '  in the slowest second', measured: slowest, unit: '/s', atLeast: 1 },
  { name: '  each, p50', measured: p50, unit: 'ms' },
  { name: '  each, p95', measured: p95, unit: 'ms' },
  { name: '  processor time of the daemon, each', measured: cpu / calls, unit: 'ms' },
  { name: '  errors', measured: errors, unit: '', atMost: 0 },
];
