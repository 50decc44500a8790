// Preload (`node --import`) that moves a daemon's clock into the past: it starts RELAY_SIMULATOR_BEHIND_MS behind the
// machine's and is set by lines of milliseconds on standard input. Invariant: once the offset is 0, the process has the
// machine's own clock again, with no wrapper left.
import { clockBehindMs } from './config.ts';

const Machine = Date;
let behind = clockBehindMs();
const now = (): number => Machine.now() - behind;

const Moved = new Proxy(Machine, {
  construct: (target, args, made) => Reflect.construct(target, args.length ? args : [now()], made),
  apply: () => new Machine(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

function set(milliseconds: number): void {
  behind = milliseconds;
  globalThis.Date = behind === 0 ? Machine : Moved;
}

set(behind);
process.stdin.setEncoding('utf8').on('data', (text: string) => {
  const newest = Number(text.trim().split('\n').at(-1));
  if (Number.isFinite(newest)) set(newest);
});
