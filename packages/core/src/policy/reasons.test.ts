import { describe, expect, test } from 'vitest';
import { DECISION_OUTCOMES, decisionFor, REASONS, type ReasonCode, reasonText } from './reasons.ts';

const codes = Object.keys(REASONS) as ReasonCode[];

describe('reasons', () => {
  test.each(codes)('%s has an outcome and a complete sentence', (code) => {
    expect(DECISION_OUTCOMES).toContain(decisionFor(code).outcome);
    expect(reasonText(code)).toMatch(/^[A-Z].+\.$/);
  });

  test('no two reasons have the same sentence', () => {
    expect(new Set(codes.map(reasonText)).size).toBe(codes.length);
  });

  test('every reason for an approval says where to find it', () => {
    for (const code of codes) {
      if (decisionFor(code).outcome !== 'needs_approval') continue;
      expect(reasonText(code)).toContain('`relay approvals`');
    }
  });
});
