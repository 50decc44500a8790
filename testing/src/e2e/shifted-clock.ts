// Preload (`node --import`) that shifts the clock of a daemon, by `?ms=` in this file's address, or by the current
// number of milliseconds in the file `?file=`.
import { readFileSync } from 'node:fs';

const { searchParams } = new URL(import.meta.url);
const file = searchParams.get('file');
const fixed = Number(searchParams.get('ms'));
const shift = (): number => (file === null ? fixed : Number(readFileSync(file, 'utf8')));
const { Date: RealDate } = globalThis;
const now = (): number => RealDate.now() + shift();

globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, args, made) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, made),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});
