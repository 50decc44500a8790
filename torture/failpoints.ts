// Preloaded (`node --import`) into a daemon that must die at a named point: it watches what the daemon sends to
// PostgreSQL, WhatsApp and the model, what Baileys reads and what the model answers, and ends the process with SIGKILL
// when the point is reached for the nth time. The daemon is not aware of it. RELAY_FAILPOINT is `<point>:<n>`; it
// counts from SIGUSR2 on, or from the start with RELAY_FAILPOINT_NOW.
import { EventEmitter } from 'node:events';
import { promises } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import type { Point } from './points.ts';
import { type Dialogue, dialogue, isGreeting } from './statements.ts';

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

/** The step of a message that a statement belongs to; the first match counts. */
const STEPS = [
  { step: 'begin', sql: /insert into "?runs"?[ (]/i },
  { step: 'journal', sql: /insert into "?inbox"?[ (]/i },
  { step: 'encrypt', sql: /insert into "?whatsapp_keys"?[ (]/i },
  { step: 'inbox', sql: /insert into "?messages"?[ (]/i },
  { step: 'media', sql: /insert into "?media"?[ (]/i },
  { step: 'understood', sql: /update "?media"? set "?understood"?/i },
  { step: 'object', sql: /insert into "?media_objects"?[ (]/i },
  { step: 'forget', sql: /delete from "?media_objects"?[ (]/i },
  { step: 'outbox', sql: /insert into "?outbox"?[ (]/i },
  { step: 'status', sql: /update "?outbox"? /i },
] as const;
type Step = (typeof STEPS)[number]['step'];

/** The first bytes to WhatsApp after such a commit depend on its durability. */
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

interface Talk extends Dialogue {
  /** Steps of the open transaction so far. */
  transaction: Set<Step> | null;
  /** Steps that are durable once the server confirms. */
  ending: Set<Step> | null;
}
/** Null for a socket to another server. */
const talks = new WeakMap<Socket, Talk | null>();

/** Also null for the startup message, which contains no statement. */
function talkOn(socket: Socket, bytes: Buffer): Talk | null {
  const known = talks.get(socket);
  if (known !== undefined) return known;
  const talk = isGreeting(bytes) ? { ...dialogue(), transaction: null, ending: null } : null;
  talks.set(socket, talk);
  return null;
}

function tell(talk: Talk, bytes: Buffer, write: () => unknown): unknown {
  const ending = new Set<Step>();
  for (const sql of talk.asks(bytes)) {
    const step = STEPS.find((one) => one.sql.test(sql))?.step;
    if (step !== undefined) reached(`${step}:before`);
    if (/^\s*(begin|start transaction)/i.test(sql)) talk.transaction = new Set();
    if (step !== undefined) (talk.transaction ?? ending).add(step);
    if (/^\s*commit/i.test(sql)) for (const one of talk.transaction ?? []) ending.add(one);
    if (/^\s*(commit|rollback)/i.test(sql)) talk.transaction = null;
  }
  if (ending.size === 0) return write();
  for (const one of ending) reached(`${one}:ready`);
  talk.ending = ending;
  const written = write();
  // By then it has been sent to the server, which may or may not have executed it.
  setImmediate(() => {
    for (const one of ending) reached(`${one}:during`);
  });
  return written;
}

/** The server's answer, before the daemon acts on it. */
function hear(talk: Talk, bytes: Buffer): void {
  const answer = talk.hears(bytes);
  if (answer === null) return;
  const { ending } = talk;
  talk.ending = null;
  if (answer === 'done' && ending !== null) committed(ending);
}

type Write = (this: Socket, ...args: unknown[]) => unknown;
const sockets = Socket.prototype as unknown as Record<'_write' | '_writev', Write>;
for (const name of ['_write', '_writev'] as const) {
  const write = sockets[name];
  sockets[name] = function (...args) {
    const bytes = bytesOf(args[0]);
    const talk = talkOn(this, bytes);
    if (talk !== null) return tell(talk, bytes, () => write.apply(this, args));
    if (this.remotePort === modelPort) return ask(bytes, () => write.apply(this, args));
    if (this.remotePort !== simulatorPort || next === null) return write.apply(this, args);
    const point = next;
    next = null;
    reached(`${point}:before`);
    const written = write.apply(this, args);
    reached(`${point}:after`);
    return written;
  };
}

/** From one buffer, or from several that are written together. */
function bytesOf(written: unknown): Buffer {
  const pieces = Array.isArray(written) ? written.map(({ chunk }) => chunk) : [written];
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece as Uint8Array)));
}

/** A request to the model; the number of this turn's calls that it answers tells the step of the turn. */
function ask(bytes: Buffer, write: () => unknown): unknown {
  const text = bytes.toString();
  const answered = text.split('"role":"tool"').length - 1;
  const isAsked = text.includes('"messages"') || text.includes('/audio/transcriptions');
  if (answered > 0) reached(`call ${answered}:after`);
  else if (isAsked) reached('model:before');
  const written = write();
  if (isAsked) setImmediate(() => reached('model:during'));
  return written;
}

/** The answer of the model or the server, before the daemon acts on it. */
const { push } = Socket.prototype;
Socket.prototype.push = function (chunk, ...rest) {
  const talk = talks.get(this);
  if (talk && chunk !== null) hear(talk, chunk);
  if (this.remotePort === modelPort && chunk !== null) reached('model:after');
  return push.call(this, chunk, ...rest);
};

/** What Baileys read, before the daemon acts on it. */
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

// The sealed files of media: written as drafts, then named, and removed.
type FileCall = (...args: unknown[]) => Promise<unknown>;
const FILE_STEPS = { open: 'draft', rename: 'place', rm: 'remove' } as const;
const files = promises as unknown as Record<keyof typeof FILE_STEPS, FileCall>;
for (const [name, step] of Object.entries(FILE_STEPS) as [keyof typeof FILE_STEPS, string][]) {
  const call = files[name];
  files[name] = async (...args) => {
    const isDraft = String(args[0]).includes('/drafts/');
    if (!String(args[0]).includes('/media/') || (name === 'rm' && isDraft)) return call(...args);
    reached(`${step}:before`);
    const done = await call(...args);
    reached(`${step}:after`);
    return done;
  };
}
syncBuiltinESMExports();
