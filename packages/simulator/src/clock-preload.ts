// Preloaded (`node --import`) into a daemon that shall have lived through some days already: its clock begins
// behind the machine's by RELAY_SIMULATOR_BEHIND_MS and is set, a line of milliseconds each, on its standard input.
// Invariant: once it is behind by nothing, the process has the machine's own clock again, and nothing in between.
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
