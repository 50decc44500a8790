// The result of every dialogue: read from the phones and Relay's database, compared with the script. Each violated
// guarantee is a sentence.
import type { Todo } from '@relay/contract/api/instances';
import {
  type Dialogue,
  expectedEnd,
  expectedLines,
  expectedResult,
  expectedTexts,
  expectedTodos,
  objectiveOf,
} from '@relay/testing/dialogue/script';
import { onServer } from '@relay/testing/postgres';
import type { Company } from './company.ts';

export interface TurnsVerdict {
  readonly dialogues: number;
  readonly messages: number;
  /** Expected but not seen by the contact. */
  readonly lost: number;
  readonly sentTwice: number;
  readonly outOfOrder: number;
  /** Lines of contacts that are not exactly once in the transcript. */
  readonly misheard: number;
  readonly wrongTodos: number;
  readonly wrongEnds: number;
  /** Results that are not what the script gave, or not written with the end. */
  readonly wrongResults: number;
  readonly faults: readonly string[];
}

interface Row {
  readonly id: string;
  readonly objective: string;
  readonly state: string;
  readonly todos: readonly Todo[];
  readonly outcome: { readonly status: string; readonly result: unknown };
  readonly heard: readonly string[];
  readonly said: readonly string[];
}

export async function judgeTurns(company: Company, url: string): Promise<TurnsVerdict> {
  const rows = Map.groupBy(await readRows(url), ({ objective }) => objective);
  const findings = company.dialogues.map((dialogue) =>
    judgeOne(dialogue, company.people.seenBy(dialogue), rows.get(objectiveOf(dialogue)) ?? []),
  );
  const count = (kind: keyof Finding) =>
    findings.reduce((sum, finding) => sum + finding[kind].length, 0);
  return {
    dialogues: findings.length,
    messages: company.people.shown,
    lost: count('lost'),
    sentTwice: count('sentTwice'),
    outOfOrder: count('outOfOrder'),
    misheard: count('misheard'),
    wrongTodos: count('wrongTodos'),
    wrongEnds: count('wrongEnds'),
    wrongResults: count('wrongResults'),
    faults: [...findings.flatMap((finding) => Object.values(finding).flat()), ...(await left(url))],
  };
}

interface Finding {
  readonly lost: readonly string[];
  readonly sentTwice: readonly string[];
  readonly outOfOrder: readonly string[];
  readonly misheard: readonly string[];
  readonly wrongTodos: readonly string[];
  readonly wrongEnds: readonly string[];
  readonly wrongResults: readonly string[];
}

function judgeOne(dialogue: Dialogue, seen: readonly string[], rows: readonly Row[]): Finding {
  const expected = expectedTexts(dialogue);
  const { name } = dialogue;
  const [row, ...others] = rows;
  const lost = expected.filter((text) => !seen.includes(text));
  const sentTwice = seen.filter((text, at) => seen.indexOf(text) !== at);
  const whole = lost.length === 0 && sentTwice.length === 0;
  const said = row?.said ?? [];
  const todos = row?.todos.map(({ status }) => status);
  return {
    lost: lost.map((text) => `never seen: ${text}`),
    sentTwice: sentTwice.map((text) => `seen twice: ${text}`),
    outOfOrder:
      whole && !same(seen, expected) ? [`${name} was seen as ${JSON.stringify(seen)}`] : [],
    misheard: [
      ...(same(row?.heard ?? [], expectedLines(dialogue))
        ? []
        : [`${name} heard ${JSON.stringify(row?.heard)}`]),
      ...(same(said, expected) ? [] : [`${name} has said ${JSON.stringify(said)}`]),
    ],
    wrongTodos: same(todos ?? [], expectedTodos(dialogue))
      ? []
      : [`${name} left its points as ${JSON.stringify(todos)}`],
    wrongEnds: [
      ...(row?.state === expectedEnd(dialogue) ? [] : [`${name} is ${row?.state}`]),
      ...others.map(({ id }) => `${name} was made a second time: ${id}`),
    ],
    wrongResults:
      JSON.stringify(row?.outcome) === JSON.stringify(expectedResult(dialogue))
        ? []
        : [`${name} has the result ${JSON.stringify(row?.outcome)}`],
  };
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, at) => text === b[at]);

/** The contact overtook it: the script lets the agent say it again. */
const WITHDRAWN = 'The contact wrote before this message was sent, so it was withdrawn.';

const readRows = (url: string): Promise<Row[]> =>
  onServer(url, async (client) => {
    const { rows } = await client.query<Row>(`
      SELECT i.id, i.objective, i.state, i.todos,
        json_build_object('status', i.result_status, 'result', i.result) AS outcome,
        coalesce(array_agg(m.content ORDER BY m.id) FILTER (WHERE m.role = 'contact'), '{}') AS heard,
        coalesce(array_agg(m.content ORDER BY m.id) FILTER (WHERE m.role <> 'contact'
          AND o.state IS DISTINCT FROM 'failed' AND m.content <> 'Not sent: ${WITHDRAWN}'), '{}') AS said
      FROM relay.instances i
      LEFT JOIN relay.instance_messages m ON m.account_id = i.account_id AND m.instance_id = i.id
      LEFT JOIN relay.outbox o ON o.account_id = m.account_id AND o.id = m.outbox_id
      GROUP BY i.account_id, i.id`);
    return rows;
  });

/** Name of a guarantee → a query for its violations. */
const NOTHING_IS_LEFT: Readonly<Record<string, string>> = {
  'a job left behind': `
    SELECT id, name, state FROM relay_jobs.job
    WHERE name IN ('conversation', 'route') AND state < 'completed'`,
  'a dead letter': `SELECT id FROM relay_jobs.job WHERE name = 'dead_letters'`,
  'a timer left behind': `SELECT subject_id FROM relay.timers WHERE kind = 'heartbeat'`,
  'a message that is not sent': `
    SELECT id, state, failure FROM relay.outbox WHERE state NOT IN ('sent', 'delivered', 'read')
      AND failure IS DISTINCT FROM '${WITHDRAWN}'`,
  'a log that is not a chain': `
    SELECT instance_id, id FROM (
      SELECT instance_id, id, from_state, lag(to_state) OVER (PARTITION BY instance_id ORDER BY id) AS before
      FROM relay.instance_transitions) chained
    WHERE before IS NOT NULL AND before <> from_state`,
};

const left = (url: string): Promise<string[]> =>
  onServer(url, async (client) => {
    const faults: string[] = [];
    for (const [name, query] of Object.entries(NOTHING_IS_LEFT)) {
      const { rows } = await client.query(query);
      for (const row of rows.slice(0, 5)) faults.push(`${name}: ${JSON.stringify(row)}`);
    }
    return faults;
  });
