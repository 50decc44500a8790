import { describe, expect, test } from 'vitest';
import {
  DECISION_OUTCOMES,
  decisionFor,
  REASONS,
  type ReasonCode,
  reasonSentence,
} from './reasons.ts';

const codes = Object.keys(REASONS) as ReasonCode[];

describe('reasons', () => {
  test.each(codes)('%s has an outcome and a whole sentence', (code) => {
    expect(DECISION_OUTCOMES).toContain(decisionFor(code).outcome);
    expect(reasonSentence(code)).toMatch(/^[A-Z].+\.$/);
  });

  test('no two reasons say the same', () => {
    expect(new Set(codes.map(reasonSentence)).size).toBe(codes.length);
  });

  test('whatever waits for a person says where', () => {
    for (const code of codes) {
      if (decisionFor(code).outcome !== 'needs_approval') continue;
      expect(reasonSentence(code)).toContain('`relay approvals`');
    }
  });
});
