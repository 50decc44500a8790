import { describe, expect, test } from 'vitest';
import { isShownInline, looksLikeText, settleType } from './type.ts';

const settle = (
  kind: Parameters<typeof settleType>[0]['kind'],
  detected: string | null,
  more = {},
) => settleType({ kind, declared: null, detected, isText: false, ...more });

describe('the type of a file', () => {
  test.each([
    ['image', 'image/png', 'image', 'image/png'],
    ['sticker', 'image/webp', 'sticker', 'image/webp'],
    ['voice', 'audio/ogg; codecs=opus', 'voice', 'audio/ogg'],
    ['audio', 'video/mp4', 'audio', 'audio/mp4'],
    ['audio', 'audio/x-m4a', 'audio', 'audio/mp4'],
    ['video', 'video/3gpp', 'video', 'video/3gpp'],
    ['document', 'application/pdf', 'document', 'application/pdf'],
    ['image', 'image/svg+xml', 'document', 'image/svg+xml'],
    ['image', 'application/xml', 'document', 'application/xml'],
    ['video', 'image/png', 'document', 'image/png'],
    ['voice', null, 'document', 'application/octet-stream'],
  ] as const)('sent as %s and detected as %s is %s, %s', (kind, detected, becomes, type) => {
    expect(settle(kind, detected)).toEqual({
      kind: becomes,
      mimeType: type,
      isMismatch: kind !== becomes,
    });
  });

  test('is what was declared only for plain text in a few formats', () => {
    const text = (declared: string) =>
      settle('document', null, { declared, isText: true }).mimeType;
    expect(text('text/csv; charset=utf-8')).toBe('text/csv');
    expect(text('text/html')).toBe('text/plain');
    expect(text('image/svg+xml')).toBe('text/plain');
    expect(settle('document', null, { declared: 'text/csv' }).mimeType).toBe(
      'application/octet-stream',
    );
  });

  test('is shown in a page only if nothing in it can run', () => {
    expect(['image/jpeg', 'audio/ogg; codecs=opus', 'video/mp4'].map(isShownInline)).toEqual([
      true,
      true,
      true,
    ]);
    const never = [
      'text/html',
      'image/svg+xml',
      'application/pdf',
      'text/plain',
      'application/xml',
    ];
    expect(never.filter(isShownInline)).toEqual([]);
  });

  test('is text if it is UTF-8 without control characters', () => {
    expect(looksLikeText(Buffer.from('a;b\r\n1;ü\n'))).toBe(true);
    expect(looksLikeText(Buffer.from('cut ü').subarray(0, -1))).toBe(true);
    expect(looksLikeText(Buffer.from([0x61, 0, 0x62]))).toBe(false);
    expect(looksLikeText(Buffer.from([0x61, 0xff, 0xfe, 0x62]))).toBe(false);
    expect(looksLikeText(Buffer.alloc(0))).toBe(false);
  });
});
