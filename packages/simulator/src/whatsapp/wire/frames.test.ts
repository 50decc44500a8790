import { describe, expect, test } from 'vitest';
import { FrameReader, frame } from './frames.ts';

const INTRO = Buffer.from('57410603', 'hex');
const bodies = [Buffer.from('one'), Buffer.alloc(700, 7), Buffer.alloc(0)];
const stream = Buffer.concat([INTRO, ...bodies.map(frame)]);

function read(reader: FrameReader, pieces: Buffer[]): Buffer[] {
  return pieces.flatMap((piece) => [...reader.push(piece)]);
}

describe('frames', () => {
  test('splits several frames in one WebSocket message', () => {
    const reader = new FrameReader();
    expect(read(reader, [stream])).toEqual(bodies);
    expect(reader.intro).toEqual(INTRO);
  });

  test('reads a frame whose length needs three bytes', () => {
    const long = Buffer.alloc(70_000, 7);
    expect(read(new FrameReader(), [Buffer.concat([INTRO, frame(long)])])).toEqual([long]);
  });

  test.each([1, 2, 3, 100])('joins frames from pieces of %i bytes', (size) => {
    const pieces: Buffer[] = [];
    for (let at = 0; at < stream.length; at += size) pieces.push(stream.subarray(at, at + size));
    expect(read(new FrameReader(), pieces)).toEqual(bodies);
  });

  test('separates the routing preamble from the intro', () => {
    const routing = Buffer.from('somewhere');
    const preamble = Buffer.concat([Buffer.from('ED'), Buffer.from([0, 1, 0, 0, routing.length])]);
    const reader = new FrameReader();
    expect(read(reader, [Buffer.concat([preamble, routing, stream])])).toEqual(bodies);
    expect(reader.routing).toEqual(routing);
    expect(reader.intro).toEqual(INTRO);
  });

  test('refuses anything else', () => {
    expect(() => read(new FrameReader(), [Buffer.from('GET / HTTP/1.1')])).toThrow('not WhatsApp');
  });
});
