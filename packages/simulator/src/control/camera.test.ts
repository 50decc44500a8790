import { randomBytes } from 'node:crypto';
import { PNG } from 'pngjs';
import { toDataURL } from 'qrcode';
import { describe, expect, test } from 'vitest';
import { readQrPicture } from './linking.ts';

const key = () => randomBytes(32).toString('base64');
const code = () => `2@${randomBytes(60).toString('base64')},${key()},${key()},${key()},1`;
const pngUrl = (file: Buffer) => `data:image/png;base64,${file.toString('base64')}`;

describe('the camera', () => {
  test('reads the text of a code unchanged', () => {
    const text = code();
    expect(readQrPicture(text)).toBe(text);
  });

  test.each([150, 300, 800])('reads a code from a PNG data URL of %i pixels', async (width) => {
    const text = code();
    expect(readQrPicture(await toDataURL(text, { width }))).toBe(text);
  });

  test('finds no code in a picture without one', () => {
    const blank = PNG.sync.write(new PNG({ width: 100, height: 100, fill: true }));
    expect(() => readQrPicture(pngUrl(blank))).toThrow('there is no QR code in this picture');
  });

  test.each([
    ['another kind of picture', 'data:image/jpeg;base64,AAAA', 'a PNG data URL'],
    ['what is not base64', 'data:image/png;base64,%%%', 'a PNG data URL'],
    ['a file that ends too soon', pngUrl(Buffer.from('short')), 'no PNG'],
    ['a file that only pretends', pngUrl(Buffer.alloc(200)), 'no PNG'],
  ])('refuses %s', (_, url, reason) => {
    expect(() => readQrPicture(url)).toThrow(reason);
  });

  test('refuses a picture whose header states too large a size', () => {
    const file = PNG.sync.write(new PNG({ width: 10, height: 10, fill: true }));
    file.writeUInt32BE(100_000, 16);
    file.writeUInt32BE(100_000, 20);
    expect(() => readQrPicture(pngUrl(file))).toThrow('too large');
  });
});
