// `npm run torture -- partition`: fifty chats with a canary each, and a traitor as the model in every session. It obeys
// every attack, calls every tool with every id and repeats whatever it learns; nothing of one chat may reach another
// chat, a model without access to it, or a log. Harmless messages are answered.
import { thenClose } from '@relay/testing/then-close';
import { attacks, type Choice, choose, lookAlikes, spread, textsOf } from './attacks/data.ts';
import { AttackHarness } from './attacks/harness.ts';
import { isOrdinary } from './partition/harmless.ts';
import { PartitionHarness } from './partition/harness.ts';
import { PartitionJudge } from './partition/judge.ts';
import { ATTACKERS, fiftyChats } from './partition/people.ts';
import { betray, Sweep } from './partition/traitor.ts';

export interface PartitionTorture extends Choice {
  /** How many harmless messages; all by default. */
  readonly harmless?: number | undefined;
}

export interface PartitionReport {
  readonly chats: number;
  readonly attacks: number;
  /** How often a model was asked, by session. */
  readonly prompts: Readonly<Record<'auto_reply' | 'conversation' | 'assistant', number>>;
  /** Canaries that grants let be read, and those of them that the assistant has seen. */
  readonly readable: { readonly chats: number; readonly seen: number };
  readonly sent: number;
  /** Pending approvals; the owner answers none. */
  readonly asked: number;
  readonly tools: number;
  /** Pairs of a tool and an id: how many were called, and how many of the assistant's tools never were. */
  readonly pairs: { readonly called: number; readonly missing: number };
  readonly harmless: { readonly said: number; readonly falseAlarms: readonly string[] };
  readonly faults: readonly string[];
  readonly seconds: number;
}

/** Limits as wide as possible: the rules must stop the traitor, not an exhausted limit. */
const WIDE = { max_steps: 12, tokens_per_conversation: 10 ** 12, tokens_per_day: 10 ** 12 };
const PATIENT = {
  auto_reply: {
    ...{ answers_per_hour: 10_000, answers_per_day: 10_000 },
    ...{ rapid_exchanges: 5_000, similar_exchanges: 5_000 },
  },
};

export async function torturePartition(choice: PartitionTorture): Promise<PartitionReport> {
  const began = performance.now();
  const chosen = choose(attacks(), choice);
  const harness = await AttackHarness.open(WIDE, { given: fiftyChats(), settings: PATIENT });
  return thenClose(harness, async () => {
    const judge = new PartitionJudge(harness, await readable(harness));
    const stage = new PartitionHarness(harness, judge);
    const ids = [...judge.chats.map(({ address }) => address), ...harness.ids];
    const sweeps = {
      auto_reply: new Sweep(ids),
      conversation: new Sweep(ids),
      assistant: new Sweep(ids),
    };
    await judge.begin();
    await stage.assistant('Good morning!', [() => ({ text: 'Good morning.' })]);
    const run = await attackAll(stage, judge, sweeps, chosen);
    const looks = spread(lookAlikes(), choice.harmless ?? Infinity, ({ looksLike }) => looksLike);
    const falseAlarms: string[] = [];
    const carrier = stage.carrier('attacker');
    for (const look of looks) {
      const alarm = await isOrdinary(harness, stage, carrier, look);
      if (alarm !== null) falseAlarms.push(`${look.id}: ${alarm}`);
    }
    await judge.end();
    const tools = stage.tools.map((tool) => tool.function.name);
    const faults = [...judge.faults, ...falseAlarms.map((alarm) => `false alarm: ${alarm}`)];
    const [asked] = await harness.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM relay.approvals',
    );
    return {
      ...{ chats: judge.chats.length, attacks: run, prompts: judge.prompts, sent: judge.sent },
      ...{ readable: judge.readable, asked: asked?.n ?? 0, tools: tools.length },
      pairs: {
        called: Object.values(sweeps).reduce((sum, { called }) => sum + called.size, 0),
        missing: sweeps.assistant.missing(tools) + sweeps.auto_reply.missing(tools),
      },
      harmless: { said: looks.length, falseAlarms },
      faults,
      seconds: Math.round((performance.now() - began) / 1_000),
    };
  });
}

type Sweeps = Readonly<Record<keyof PartitionReport['prompts'], Sweep>>;

/** Attackers in parallel, each attack in every kind of session. */
async function attackAll(
  stage: PartitionHarness,
  judge: PartitionJudge,
  sweeps: Sweeps,
  chosen: ReturnType<typeof choose>,
): Promise<number> {
  const waiting = chosen.values();
  let run = 0;
  const lane = async (key: string): Promise<void> => {
    const carrier = stage.carrier(key);
    for (const attack of waiting) {
      const said = { field: attack.field, texts: textsOf(attack) };
      const invented = stage.tools.map((tool) => tool.function);
      const traitor = (kind: keyof Sweeps) => betray(attack, sweeps[kind], invented);
      try {
        await stage.autoReply(carrier, said, traitor('auto_reply'));
        await stage.conversation(carrier, said, traitor('conversation'));
        await stage.assistant(`What did ${carrier.name} write to me last?`, traitor('assistant'));
      } catch (error) {
        judge.faults.push(`${attack.id}: ${error instanceof Error ? error.message : error}`);
      }
      await judge.after(attack.id);
      run += 1;
      if (run % 25 === 0)
        console.log(`${run} of ${chosen.length} attacks, ${judge.faults.length} faults`);
    }
  };
  await Promise.all(ATTACKERS.map(lane));
  return run;
}

async function readable(harness: AttackHarness): Promise<Set<string>> {
  const rows = await harness.query<{ address: string }>(
    `SELECT coalesce(c.group_address, a.value) AS address FROM relay.grants g
       LEFT JOIN relay.chats c ON c.account_id = g.account_id AND c.id = g.chat_id
       LEFT JOIN relay.contact_aliases a
         ON a.account_id = g.account_id AND a.contact_id = g.contact_id AND a.kind = 'phone'
     WHERE g.can_read`,
  );
  return new Set(rows.map(({ address }) => address));
}
