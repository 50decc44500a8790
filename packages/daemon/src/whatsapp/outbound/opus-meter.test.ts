import { oggOpus } from '@relay/testing/files';
import { verifies } from '@relay/testing/verifies';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OpusMeter } from './opus-meter.ts';

function secondsOf(file: Buffer, cuts: readonly number[] = []): number | null {
  const meter = new OpusMeter();
  const places = [...cuts].map((cut) => cut % (file.length + 1)).sort((a, b) => a - b);
  let from = 0;
  for (const to of [...places, file.length]) {
    meter.add(file.subarray(from, to));
    from = to;
  }
  return meter.seconds;
}

test.each([0.5, 1, 7, 61.2])('measures a recording of %d s', (seconds) => {
  verifies('MEDIA-OUT-KINDS');
  expect(secondsOf(oggOpus(seconds))).toBeCloseTo(seconds, 3);
});

test('measures the same, however the file is cut into pieces', () => {
  const file = oggOpus(3, 7);
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 30 }), (cuts) => {
      expect(secondsOf(file, cuts)).toBeCloseTo(3, 3);
    }),
  );
});

test('takes nothing else for a recording, and never fails', () => {
  expect(secondsOf(Buffer.alloc(0))).toBeNull();
  expect(secondsOf(Buffer.from('OggS'))).toBeNull();
  expect(secondsOf(Buffer.from('%PDF-1.4 and a long text after it'))).toBeNull();
  const vorbis = oggOpus(1);
  vorbis.write('\u0001vorbis', vorbis.indexOf('OpusHead'), 'latin1');
  expect(secondsOf(vorbis)).toBeNull();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.array(fc.nat()), (bytes, cuts) => {
      secondsOf(Buffer.from(bytes), cuts);
      secondsOf(Buffer.concat([oggOpus(1).subarray(0, 60), Buffer.from(bytes)]), cuts);
    }),
  );
});
