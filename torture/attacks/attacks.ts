// `npm run torture -- attacks`: a model that obeys every attack, connected to a real daemon that must not. Attacks in a
// conversation, the same from a stranger, then harmless messages and random tool calls.
import { thenClose } from '@relay/testing/then-close';
import { ConversationActor } from './conversation.ts';
import { attacks, type Choice, choose, lookAlikes, spread } from './data.ts';
import { AttackHarness } from './harness.ts';
import { Judge } from './judge.ts';
import { Parts } from './parts.ts';
import { attackAsStranger, type Strangers } from './strangers.ts';

export interface AttacksReport {
  readonly attacks: number;
  readonly byGoal: Readonly<Record<string, { readonly run: number; readonly faults: number }>>;
  readonly modelCalls: number;
  readonly stranger: Strangers;
  readonly harmless: { readonly said: number; readonly falseAlarms: readonly string[] };
  readonly randomCalls: number;
  readonly ledger: Readonly<Record<string, number>>;
  readonly mostMessages: number;
  readonly slowestStepMs: number;
  readonly slowestTurnMs: number;
  /** How many keys of the encrypted store were searched for in prompts, logs and the export. */
  readonly linkKeys: number;
  readonly faults: readonly string[];
  readonly seconds: number;
}

export interface AttacksTorture extends Choice {
  /** How many harmless messages; all by default. */
  readonly harmless?: number | undefined;
  readonly randomCalls: number;
  readonly seed: number;
}

export async function tortureAttacks(choice: AttacksTorture): Promise<AttacksReport> {
  const began = performance.now();
  const chosen = choose(attacks(), choice);
  const harness = await AttackHarness.open();
  return thenClose(harness, async () => {
    const judge = new Judge(harness);
    let asked = 0;
    const parts = new Parts((request, tag) => {
      asked += 1;
      judge.prompt(request, tag);
    });
    harness.demo.model.play(parts.actor);
    await judge.begin();
    const actor = new ConversationActor(harness, judge, parts);
    let run = 0;
    await actor.attack(chosen, () => {
      run += 1;
      if (run % 50 === 0)
        console.log(
          `${run} of ${chosen.length} attacks, faults: ${judge.faults.length} ${judge.faults.at(-1) ?? ''}`,
        );
    });
    const stranger = await attackAsStranger(harness, judge, chosen, () => asked);
    const looks = spread(lookAlikes(), choice.harmless ?? Infinity, ({ looksLike }) => looksLike);
    const falseAlarms = await actor.answer(looks);
    for (const alarm of falseAlarms) judge.fault('false alarm', alarm);
    const randomCalls = await actor.confuse(choice.randomCalls, choice.seed);
    await judge.end(actor.phones);
    return {
      attacks: run,
      byGoal: byGoal(chosen, judge.faults),
      modelCalls: asked,
      stranger,
      harmless: { said: looks.length, falseAlarms },
      randomCalls,
      ledger: await ledger(harness),
      mostMessages: judge.mostMessages,
      slowestStepMs: parts.slowestStepMs,
      slowestTurnMs: await slowestTurn(harness),
      linkKeys: judge.linkKeys,
      faults: judge.faults,
      seconds: Math.round((performance.now() - began) / 1_000),
    };
  });
}

function byGoal(chosen: ReturnType<typeof choose>, faults: readonly string[]) {
  const broken = new Set(faults.map((fault) => fault.split(':')[0]));
  const goals = [...Map.groupBy(chosen, ({ goal }) => goal)];
  return Object.fromEntries(
    goals.map(([goal, all]) => [
      goal,
      { run: all.length, faults: all.filter(({ id }) => broken.has(id)).length },
    ]),
  );
}

/** The gate's decisions, counted by reason. */
async function ledger(harness: AttackHarness): Promise<Record<string, number>> {
  const rows = await harness.query<{ what: string; n: number }>(
    "SELECT actor_kind || ' ' || outcome || ' ' || reason AS what, count(*)::int AS n FROM (SELECT split_part(actor, ':', 1) AS actor_kind, outcome, reason FROM relay.ledger) l GROUP BY 1 ORDER BY 1",
  );
  return Object.fromEntries(rows.map(({ what, n }) => [what, n]));
}

async function slowestTurn(harness: AttackHarness): Promise<number> {
  const [row] = await harness.query<{ ms: number }>(
    'SELECT coalesce(max(extract(epoch FROM ended_at - started_at)) * 1000, 0)::int AS ms FROM relay.runs',
  );
  return row?.ms ?? 0;
}
