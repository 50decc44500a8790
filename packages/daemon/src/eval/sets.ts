// The sets that ship with Relay, read when somebody wants to know how good their model is. Nobody in them
// exists; `eval-sets/README.md` says what they hold and how they were labelled.
import { readFile } from 'node:fs/promises';
import { type DayCase, daysOf, digestSetSchema, groupLineSchema } from '@relay/core/eval/days';
import { type TriggerCase, triggerCaseSchema } from '@relay/core/eval/trigger';

const FOLDER = new URL('./eval-sets/', import.meta.url);

const linesOf = async (name: string): Promise<unknown[]> =>
  (await readFile(new URL(name, FOLDER), 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

export async function readTriggerSet(): Promise<readonly TriggerCase[]> {
  return triggerCaseSchema.array().parse(await linesOf('triggers.jsonl'));
}

/** Day by day of each group. */
export async function readDigestSet(): Promise<readonly DayCase[]> {
  const text = await readFile(new URL('digest-facts.json', FOLDER), 'utf8');
  const { groups } = digestSetSchema.parse(JSON.parse(text));
  const days = await Promise.all(
    Object.values(groups).map(async (group) =>
      daysOf(group, groupLineSchema.array().parse(await linesOf(group.file))),
    ),
  );
  return days.flat();
}
