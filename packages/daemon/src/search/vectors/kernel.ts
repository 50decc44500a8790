// The one loop that must be fast: how far a question's sketch is from each of a million. JavaScript has no
// instruction that counts the bits of a word and WebAssembly has, so these lines write a small function for
// it, once for each width. As text it would be, with `words` written out:
//   (func (param $query i32) (param $row i32) (param $end i32) (param $out i32)
//     (loop
//       ;; for each word: high and low of the row against high and low of the question
//       $far  = popcnt(high ^ qhigh) + …            ;; weighs 4
//       $near = popcnt(high ^ qlow) + popcnt(low ^ qhigh) + …   ;; weighs 2
//       $rest = popcnt(low ^ qlow) + …              ;; weighs 1
//       (i64.store16 $out ($far << 2) + ($near << 1) + $rest)
//       $out += 2, $row += the bytes of a sketch, again while $row < $end))
// The distance falls as the product of the two rows of −3, −1, 1 and 3 rises: it orders them alike.

declare global {
  /** As much of it as is used here: its types come with a browser's only. */
  namespace WebAssembly {
    class Memory {
      constructor(size: { initial: number });
      readonly buffer: ArrayBuffer;
      grow(pages: number): number;
    }
    class Module {
      constructor(bytes: Uint8Array);
    }
    class Instance {
      constructor(module: Module, imports: object);
      readonly exports: Readonly<Record<string, unknown>>;
    }
  }
}

type Code = readonly number[];

const I32 = 0x7f;
const I64 = 0x7e;

/** Whole numbers in groups of seven bits, as the format has them; below 64 a signed one looks the same. */
function whole(n: number): Code {
  return n < 0x80 ? [n] : [(n & 0x7f) | 0x80, ...whole(n >>> 7)];
}
/** A positive one that is read as signed: its last group must not look negative. */
const signed = (n: number): Code =>
  n < 0x40 ? [n] : [(n & 0x7f) | 0x80, ...signed(Math.floor(n / 128))];

const get = (local: number): Code => [0x20, local];
const set = (local: number, value: Code): Code => [...value, 0x21, local];
const constant = (n: number): Code => [0x41, ...signed(n)];
const constant64 = (n: number): Code => [0x42, ...signed(n)];
const load64 = (address: Code, offset: number): Code => [...address, 0x29, 3, ...whole(offset)];
const store16 = (address: Code, value: Code): Code => [...address, ...value, 0x3d, 1, 0];
const add = (a: Code, b: Code): Code => [...a, ...b, 0x6a];
const add64 = (...terms: Code[]): Code =>
  terms.flatMap((term, n) => (n === 0 ? term : [...term, 0x7c]));
const shiftLeft64 = (value: Code, bits: number): Code => [...value, ...constant64(bits), 0x86];
const differing = (a: Code, b: Code): Code => [...a, ...b, 0x85, 0x7b];
const END: Code = [0x0b];
const againIf = (a: Code, isBelow: Code): Code => [...a, ...isBelow, 0x49, 0x0d, 0];
const loop = (...body: Code[]): Code => [0x03, 0x40, ...body.flat(), ...END];

function distanceLoop(words: number): Code {
  const [query, row, end, out, high, low, far, near, rest] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;
  const plane = words * 8;
  const forEachWord = Array.from({ length: words }, (_, n): Code => {
    const asked = load64(get(query), n * 8);
    const askedLow = load64(get(query), plane + n * 8);
    return [
      ...set(high, load64(get(row), n * 8)),
      ...set(low, load64(get(row), plane + n * 8)),
      ...set(far, add64(get(far), differing(get(high), asked))),
      ...set(near, add64(get(near), differing(get(high), askedLow), differing(get(low), asked))),
      ...set(rest, add64(get(rest), differing(get(low), askedLow))),
    ];
  });
  return [
    ...loop(
      ...[far, near, rest].map((sum) => set(sum, constant64(0))),
      ...forEachWord,
      store16(get(out), add64(shiftLeft64(get(far), 2), shiftLeft64(get(near), 1), get(rest))),
      set(out, add(get(out), constant(2))),
      set(row, add(get(row), constant(2 * plane))),
      againIf(get(row), get(end)),
    ),
    ...END,
  ];
}

type Distances = (query: number, firstRow: number, end: number, out: number) => void;

/** Writes to `out` two bytes for each sketch between the two addresses; there is at least one. */
export function distancesIn(memory: WebAssembly.Memory, words: number): Distances {
  const section = (id: number, ...body: Code): Code => [id, ...whole(body.length), ...body];
  const locals: Code = [1, 5, I64];
  const body: Code = [...locals, ...distanceLoop(words)];
  const module = new WebAssembly.Module(
    Uint8Array.from([
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(1, 1, 0x60, 4, I32, I32, I32, I32, 0),
      // `m.m` is the memory, `d` the function.
      ...section(2, 1, 1, 0x6d, 1, 0x6d, 2, 0, 1),
      ...section(3, 1, 0),
      ...section(7, 1, 1, 0x64, 0, 0),
      ...section(10, 1, ...whole(body.length), ...body),
    ]),
  );
  const { d } = new WebAssembly.Instance(module, { m: { m: memory } }).exports;
  return d as Distances;
}
