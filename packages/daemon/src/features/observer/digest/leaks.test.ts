// Checks what a digest's model would be shown of two labelled weeks: no private text, and all text that belongs
// into a digest. The figures are in decision 0032.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bufferLines } from '@relay/core/observer/buffer';
import { hourContaining } from '@relay/core/observer/digest/periods';
import { maskPrivate } from '@relay/core/observer/mask/mask';
import { findZone } from '@relay/core/schedule/zone';
import { GROUPS, type GroupName, readWeek } from '@relay/testing/observer/weeks';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';

interface DayFacts {
  readonly mustContain: readonly { readonly evidence: readonly string[] }[];
  readonly mustNotContain: readonly {
    readonly id: string;
    readonly reason: string;
    readonly pattern: string;
  }[];
}

const SETS = join(import.meta.dirname, '../../eval/eval-sets/digest-facts.json');
const FACTS = JSON.parse(readFileSync(SETS, 'utf8')) as {
  groups: Record<GroupName, { days: Record<string, DayFacts> }>;
};
const BEFORE_MS = 3 * 3_600_000;

/** Hour by hour, as the digest job reads them. */
function shownBy(group: GroupName) {
  const week = readWeek(group);
  const zone = findZone(week.zone);
  if (zone === null) throw new Error(week.zone);
  const cut = { zone, dailyAt: '04:00' };
  const judged = week.messages.map(({ message, category, noise }) => ({
    message,
    verdict: { category, noise },
  }));
  const revoked = new Set(judged.map(({ message }) => message.replaces));
  const hours = new Map(
    judged.map(({ message: { at } }) => [+hourContaining(at, cut).start, hourContaining(at, cut)]),
  );
  return [...hours.values()].map(({ start, end }) => {
    // Deleted messages are no longer in the buffer by then.
    const read = judged.filter(
      ({ message: { at, id } }) => +at >= +start - BEFORE_MS && at < end && !revoked.has(id),
    );
    const masked = maskPrivate(read, new Map());
    const lines = bufferLines(masked, { from: start, to: end, zone, tokens: 1e9 });
    return {
      day: new Date(zone.localAt(+start)).toISOString().slice(0, 10),
      text: lines.map(({ text }) => text).join('\n'),
    };
  });
}

test.each(GROUPS)('shows nothing sensitive or deleted of %s to a model', (group) => {
  verifies('004-PRIV-ANONYMISE');
  const shown = shownBy(group);
  const leaks = Object.entries(FACTS.groups[group].days).flatMap(([day, { mustNotContain }]) => {
    const text = shown.filter((hour) => hour.day === day).map((hour) => hour.text);
    return mustNotContain
      .filter(({ reason }) => reason === 'sensitive' || reason === 'revoked')
      .filter(({ pattern }) => new RegExp(pattern, 'i').test(text.join('\n')))
      .map(({ id }) => id);
  });
  expect(shown.length).toBeGreaterThan(50);
  expect(leaks).toEqual([]);
});

test('shows more than nine in ten of the messages with wanted facts verbatim', () => {
  const kept = GROUPS.flatMap((group) => {
    const text = shownBy(group)
      .map((hour) => hour.text)
      .join('\n');
    const words = new Map(
      readWeek(group).messages.map(({ message }) => [message.id, message.text]),
    );
    const evidence = Object.values(FACTS.groups[group].days).flatMap(({ mustContain }) =>
      mustContain.flatMap((fact) => fact.evidence),
    );
    return [...new Set(evidence)].map((id) =>
      text.includes((words.get(id) ?? '').split('\n')[0] ?? ''),
    );
  });
  expect(kept.filter((whole) => whole).length / kept.length).toBeGreaterThan(0.93);
  expect(kept.length).toBeGreaterThan(300);
});
