// A vector in its other two forms: as it is stored (16-bit floats), and as a sketch that tells its neighbours
// from the rest at a sixteenth of the size. Each number becomes one of −3, −1, 1, 3, which is 2·high + low
// with two bits that stand for −1 and 1: a plane of high bits, then a plane of low bits.

/** 64 bits in a word. */
export const wordsOf = (dims: number): number => Math.ceil(dims / 64);

const PLANES = 2;
export const sketchBytes = (dims: number): number => PLANES * wordsOf(dims) * 8;

export function toSketch(vector: Float32Array): Uint8Array {
  const sketch = new Uint8Array(sketchBytes(vector.length));
  const low = sketch.length / PLANES;
  // How far numbers of a vector of length 1 lie from 0, mostly: half of them on each side of ±1 and ±3.
  const middle = 1 / Math.sqrt(vector.length);
  vector.forEach((value, n) => {
    const bit = 1 << (n & 7);
    if (value > 0) sketch[n >>> 3] = (sketch[n >>> 3] as number) | bit;
    const isLow = value > 0 ? value > middle : value > -middle;
    if (isLow) sketch[low + (n >>> 3)] = (sketch[low + (n >>> 3)] as number) | bit;
  });
  return sketch;
}

/** As far apart as two sketches can be. */
export const furthest = (dims: number): number => dims * 9;

export const toStored = (vector: Float32Array): Buffer => bytesOf(Float16Array.from(vector));

export const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array | Float16Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

/** Vectors as they are stored, one right after the other. */
export function fromStored(bytes: Uint8Array): Float16Array {
  return new Float16Array(new Uint8Array(bytes).buffer);
}
