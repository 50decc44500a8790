import { describe, expect, test } from 'vitest';
import { because, OUTCOMES, REASONS, type ReasonCode, reasonSentence } from './reasons.ts';

const codes = Object.keys(REASONS) as ReasonCode[];

describe('reasons', () => {
  test.each(codes)('%s has an outcome and a whole sentence', (code) => {
    expect(OUTCOMES).toContain(because(code).outcome);
    expect(reasonSentence(code)).toMatch(/^[A-Z].+\.$/);
  });

  test('no two reasons say the same', () => {
    expect(new Set(codes.map(reasonSentence)).size).toBe(codes.length);
  });

  test('whatever waits for a person says where', () => {
    for (const code of codes) {
      if (because(code).outcome !== 'needs_approval') continue;
      expect(reasonSentence(code)).toContain('`relay approvals`');
    }
  });
});
