// Defines one test per row of a table of decisions. Only tests import this.
import { expect, test } from 'vitest';
import type { Actor } from '../actors.ts';
import { decide } from '../decide.ts';
import type { PolicyFacts } from '../facts.ts';
import type { Intent } from '../intents.ts';
import { decisionFor, type ReasonCode } from '../reasons.ts';

type Row = [what: string, actor: Actor, intent: Intent, facts: PolicyFacts, reason: ReasonCode];

export function decisions(rows: readonly Row[]): void {
  test.each(rows)('%s', (_what, actor, intent, facts, reason) => {
    expect(decide(actor, intent, facts)).toEqual(decisionFor(reason));
  });
}
