// Compares the answers with the database: what was answered as done happened once, and nothing else did.
import type { Effects } from './effects.ts';
import type { Fate } from './lane.ts';

/** Tools that create a row with the call's text. */
const MAKERS: ReadonlySet<string> = new Set([
  'send_message',
  'schedule_message',
  'create_conversation',
]);
/** Valid calls of these may all be refused: nothing is observed here, and the conversation may have ended. */
const MAY_REFUSE: ReadonlySet<string> = new Set(['get_digest', 'control_conversation']);

type Due = 0 | 1 | 'either';

export function judge(fates: readonly Fate[], { byMark, cancelled }: Effects): string[] {
  const due = dueOf(fates);
  const faults: string[] = [];
  for (const [mark, count] of byMark) {
    const expected = due.get(mark) ?? 0;
    if (expected === 'either' ? count > 1 : count !== expected) {
      const how = fates.filter((fate) => fate.mark === mark).map(told);
      faults.push(`${mark} came to pass ${count} times, not ${expected}: ${how.join('; ')}`);
    }
  }
  for (const [mark, expected] of due) {
    if (expected === 1 && !byMark.has(mark)) faults.push(`${mark} was done, and is nowhere`);
  }
  const ended = new Set(fates.flatMap(endedBy));
  for (const id of cancelled) if (!ended.has(id)) faults.push(`${id} was cancelled by nobody`);
  return faults;
}

const told = ({ door, tool, heard, sent }: Fate): string =>
  `${tool} (${door}), answered ${heard.what}, ${sent}`;

function dueOf(fates: readonly Fate[]): Map<string, Due> {
  const due = new Map<string, Due>();
  for (const { mark, kind, tool, heard } of fates) {
    if (heard.done && MAKERS.has(tool)) due.set(mark, 1);
    else if ((due.get(mark) ?? 0) === 0) due.set(mark, unsure(kind, heard.what) ? 'either' : 0);
  }
  return due;
}

/** Answered as neither done nor refused: it may have been carried out anyway. */
const unsure = (kind: Fate['kind'], what: string): boolean =>
  kind !== 'broken' && ['closed', 'hang', '-32000', '-32002', '-32003'].includes(what);

const endedBy = ({ tool, heard, sent }: Fate): string[] =>
  tool === 'cancel_schedule' && heard.done ? [(JSON.parse(sent) as { id: string }).id] : [];

/** How many valid calls of each tool succeeded. */
export function doneBy(tools: readonly string[], fates: readonly Fate[]): Record<string, number> {
  const done = Object.fromEntries(tools.map((name) => [name, 0]));
  for (const { kind, tool, heard } of fates) {
    if (heard.done && kind === 'valid') done[tool] = (done[tool] ?? 0) + 1;
  }
  return done;
}

export const neverDone = (done: Readonly<Record<string, number>>): string[] =>
  Object.entries(done)
    .filter(([tool, count]) => count === 0 && !MAY_REFUSE.has(tool))
    .map(([tool]) => `${tool} never worked`);
