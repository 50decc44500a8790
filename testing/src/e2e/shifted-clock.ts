// Loaded into a daemon with `node --import`: shifts the clock that its code reads, by `?ms=` in this file's address.
const shift = Number(new URL(import.meta.url).searchParams.get('ms'));
const { Date: RealDate } = globalThis;
const now = (): number => RealDate.now() + shift;

globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, args, made) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, made),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});
