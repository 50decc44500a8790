// Files for tests, made byte by byte: no encoder is needed, and nothing is decoded.
import { createHash } from 'node:crypto';

/** An Ogg file with Opus that says it plays for so many seconds. Its packets are silence. */
export function oggOpus(seconds: number, packetsPerPage = 40): Buffer {
  const head = Buffer.alloc(19);
  head.write('OpusHead');
  head.writeUInt8(1, 8);
  head.writeUInt8(1, 9);
  head.writeUInt16LE(PRE_SKIP, 10);
  head.writeUInt32LE(SAMPLES_PER_SECOND, 12);
  const tags = Buffer.alloc(16);
  tags.write('OpusTags');
  const pages = [page(0, 0, [head]), page(1, 0, [tags])];
  const packets = Math.ceil((seconds * SAMPLES_PER_SECOND) / SAMPLES_PER_PACKET);
  for (let sent = 0; sent < packets; ) {
    const count = Math.min(packetsPerPage, packets - sent);
    sent += count;
    const at = Math.min(sent * SAMPLES_PER_PACKET, seconds * SAMPLES_PER_SECOND) + PRE_SKIP;
    pages.push(page(pages.length, at, Array<Buffer>(count).fill(SILENCE)));
  }
  return Buffer.concat(pages);
}

const PRE_SKIP = 312;
const SAMPLES_PER_SECOND = 48_000;
/** 20 ms. */
const SAMPLES_PER_PACKET = 960;
const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);

function page(number: number, position: number, packets: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(27);
  header.write('OggS');
  header.writeUInt8(number === 0 ? 2 : 0, 5);
  header.writeBigUInt64LE(BigInt(position), 6);
  header.writeUInt32LE(1, 14);
  header.writeUInt32LE(number, 18);
  header.writeUInt8(packets.length, 26);
  const made = Buffer.concat([
    header,
    Buffer.from(packets.map(({ length }) => length)),
    ...packets,
  ]);
  made.writeUInt32LE(oggChecksum(made), 22);
  return made;
}

function oggChecksum(bytes: Buffer): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) sum = sum & 0x80000000 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  }
  return sum >>> 0;
}

export const sha256Hex = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');
