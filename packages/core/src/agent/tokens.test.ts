import { expect, test } from 'vitest';
import { estimateTokens } from './context-window.ts';

test.each([
  ['English', 'Could you come on Tuesday at nine to look at the sink?', 0.2, 0.35],
  ['German', 'Könnten Sie am Dienstag um neun Uhr kommen?', 0.25, 0.4],
  ['Russian', 'Не могли бы вы прийти во вторник в девять утра?', 0.4, 0.7],
  ['Arabic', 'هل يمكنك القدوم يوم الثلاثاء الساعة التاسعة؟', 0.4, 0.7],
  ['Japanese', '火曜日の九時に来ていただけますか', 1, 1.5],
  ['Thai', 'คุณมาวันอังคารเก้าโมงได้ไหม', 1, 1.5],
  ['emoji', '👋🎉🚿', 0.8, 2],
])('estimates %s by the token cost of its script', (_, text, least, most) => {
  const share = estimateTokens(text) / text.length;
  expect(share).toBeGreaterThanOrEqual(least);
  expect(share).toBeLessThanOrEqual(most);
});

test('empty text costs nothing, and more text never costs less', () => {
  expect(estimateTokens('')).toBe(0);
  const text = 'Hello, 世界! Ça va? שלום';
  for (let end = 1; end <= text.length; end += 1)
    expect(estimateTokens(text.slice(0, end))).toBeGreaterThanOrEqual(
      estimateTokens(text.slice(0, end - 1)),
    );
});
