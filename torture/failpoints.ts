// Preloaded (`node --import`) into a daemon that shall die at a named point: it watches what the daemon
// says to PostgreSQL, to WhatsApp and to the model, what Baileys reads and what the model answers, and ends
// the process with SIGKILL when the point is reached for the n-th time. The daemon knows nothing of it.
// RELAY_FAILPOINT is `<point>:<n>`; it counts from SIGUSR2 on, or from the start with RELAY_FAILPOINT_NOW.
import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import pg from 'pg';
import type { Point } from './points.ts';

const [, wanted, nth] = /^(.+):(\d+)$/.exec(process.env.RELAY_FAILPOINT ?? '') ?? [];
const simulatorPort = Number(new URL(process.env.RELAY_SIMULATOR_URL ?? 'ws://none').port);
const modelPort = Number(new URL(process.env.RELAY_FAILPOINT_MODEL ?? 'http://none').port);
let armed = process.env.RELAY_FAILPOINT_NOW === '1';
let left = Number(nth);
process.on('SIGUSR2', () => {
  armed = true;
});

function reached(point: string): void {
  if (!armed || point !== wanted) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

/** What a statement means to the way of a message; of the first that matches. */
const STEPS = [
  { step: 'begin', sql: /insert into "?runs"?[ (]/i },
  { step: 'journal', sql: /insert into "?inbox"?[ (]/i },
  { step: 'encrypt', sql: /insert into "?whatsapp_keys"?[ (]/i },
  { step: 'inbox', sql: /insert into "?messages"?[ (]/i },
  { step: 'outbox', sql: /insert into "?outbox"?[ (]/i },
  { step: 'status', sql: /update "?outbox"? /i },
] as const;
type Step = (typeof STEPS)[number]['step'];

/** The first bytes to WhatsApp after such a commit are what it was made durable for. */
const FIRST_BYTES: Partial<Record<Step, 'receipt' | 'wire'>> = {
  journal: 'receipt',
  encrypt: 'wire',
};
let next: 'receipt' | 'wire' | null = null;

function committed(steps: ReadonlySet<Step>): void {
  for (const step of steps) {
    next = FIRST_BYTES[step] ?? next;
    reached(`${step}:after`);
  }
}

type Query = (this: pg.Client, ...args: unknown[]) => unknown;
const prototype = pg.Client.prototype as unknown as { query: Query };
const { query } = prototype;
/** What an open transaction has done so far. */
const open = new WeakMap<pg.Client, Set<Step>>();

prototype.query = function (...args) {
  const sql = textOf(args[0]);
  const step = STEPS.find((one) => one.sql.test(sql))?.step;
  if (step !== undefined) reached(`${step}:before`);
  if (/^\s*(begin|start transaction)/i.test(sql)) open.set(this, new Set());
  const transaction = open.get(this);
  if (step !== undefined) transaction?.add(step);
  const ends = /^\s*commit/i.test(sql);
  const steps = ends ? transaction : step && !transaction ? new Set([step]) : undefined;
  if (ends || /^\s*rollback/i.test(sql)) open.delete(this);
  if (steps === undefined || steps.size === 0) return query.apply(this, args);
  for (const one of steps) reached(`${one}:ready`);
  const answer = query.apply(
    this,
    onAnswer(args, () => committed(steps)),
  );
  // By then it has been handed to the server, which may or may not have done it.
  setImmediate(() => {
    for (const one of steps) reached(`${one}:during`);
  });
  if (!(answer instanceof Promise)) return answer;
  return answer.then((result: unknown) => {
    committed(steps);
    return result;
  });
};

function textOf(query: unknown): string {
  if (typeof query === 'string') return query;
  return String((query as { text?: unknown } | null)?.text ?? '');
}

function onAnswer(args: unknown[], act: () => void): unknown[] {
  const last = args.at(-1);
  if (typeof last !== 'function') return args;
  const told = (error: unknown, result: unknown) => {
    if (!error) act();
    last(error, result);
  };
  return [...args.slice(0, -1), told];
}

type Write = (this: Socket, ...args: unknown[]) => unknown;
const sockets = Socket.prototype as unknown as Record<'_write' | '_writev', Write>;
for (const name of ['_write', '_writev'] as const) {
  const write = sockets[name];
  sockets[name] = function (...args) {
    if (this.remotePort === modelPort) return ask(() => write.apply(this, args), args[0]);
    if (this.remotePort !== simulatorPort || next === null) return write.apply(this, args);
    const point = next;
    next = null;
    reached(`${point}:before`);
    const written = write.apply(this, args);
    reached(`${point}:after`);
    return written;
  };
}

/** A request to the model; how many calls of this turn it answers tells where the turn stands. */
function ask(write: () => unknown, sent: unknown): unknown {
  const chunks = Array.isArray(sent) ? sent.map(({ chunk }: { chunk: unknown }) => chunk) : [sent];
  const text = chunks.map((chunk) => Buffer.from(chunk as Uint8Array).toString()).join('');
  const answered = text.split('"role":"tool"').length - 1;
  if (answered > 0) reached(`call ${answered}:after`);
  else if (text.includes('"messages"')) reached('model:before');
  const written = write();
  if (text.includes('"messages"')) setImmediate(() => reached('model:during'));
  return written;
}

/** What the model answered, before anybody acts on it. */
const { push } = Socket.prototype;
Socket.prototype.push = function (chunk, ...rest) {
  if (this.remotePort === modelPort && chunk !== null) reached('model:after');
  return push.call(this, chunk, ...rest);
};

/** What Baileys read, before anybody acts on it. */
const READ: Readonly<Record<string, Point>> = {
  'CB:message': 'receive',
  'CB:ack,class:message': 'ack',
};
const { emit } = EventEmitter.prototype;
EventEmitter.prototype.emit = function (event, ...args) {
  const point = typeof event === 'string' ? READ[event] : undefined;
  if (point !== undefined) reached(point);
  return emit.call(this, event, ...args);
};
