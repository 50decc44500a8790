// `relay approvals`: what waits for the owner's yes, with the exact recipient and the exact words.
import { APPROVAL_STATES, type Approval, type ApprovalState } from '@relay/core/api/approvals';
import { readHere } from '@relay/core/approvals/read-here';
import { RelayError } from '@relay/core/errors';
import { actorWords } from '@relay/core/ledger/actor-words';
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { duration, printable } from '../../format.ts';
import type { Terminal } from '../../terminal.ts';

export const run: Run = async ({ config, terminal, options }) => {
  const state = stateNamed(options.state);
  const approvals = await clientOf(config.home).get('/api/approvals', { query: { state } });
  if (terminal.json) terminal.give(approvals);
  else if (approvals.length === 0) {
    terminal.progress(state === 'pending' ? 'Nothing waits for you.' : `None is ${state}.`);
  } else {
    for (const line of describe(approvals, terminal.colours, new Date())) terminal.say(line);
  }
  return 0;
};

function stateNamed(state: unknown): ApprovalState {
  const known = APPROVAL_STATES.find((name) => name === (state ?? 'pending'));
  if (known !== undefined) return known;
  throw new RelayError('usage', { what: `Give --state one of ${APPROVAL_STATES.join(', ')}.` });
}

export function describe(
  approvals: readonly Approval[],
  colours: Pick<Terminal['colours'], 'dim' | 'bold'>,
  now: Date,
): string[] {
  const lines = approvals.flatMap((approval) => [
    `${colours.bold(printable(approval.id))}  ${recipientOf(approval)}`,
    ...quoted(approval.text),
    ...(approval.when === null ? [] : [`  When: ${printable(approval.when)}`]),
    `  ${readHere(approval.reason)}`,
    `  ${colours.dim(ageOf(approval, now))}`,
    '',
  ]);
  const waiting = approvals.some(({ state }) => state === 'pending');
  return waiting
    ? [
        ...lines,
        'Say yes with `relay approvals approve <id>`, or no with `relay approvals reject <id>`.',
      ]
    : lines.slice(0, -1);
}

export function recipientOf({ kind, recipient, recipient_name: name }: Approval): string {
  const address = printable(recipient ?? 'nobody that is known any more');
  const to = name === null ? address : `${printable(name)} (${address})`;
  return ABOUT[kind](to);
}

const ABOUT: Readonly<Record<Approval['kind'], (to: string) => string>> = {
  send_message: (to) => `to ${to}`,
  create_conversation: (to) => `a conversation with ${to}`,
  schedule_message: (to) => `later, to ${to}`,
  cancel_schedule: (to) => `the end of a scheduled message to ${to}`,
  manage_grant: (to) => `what agents may do with ${to}`,
};

/** Each line behind a bar: what is inside it is what would be sent, and nothing else is. */
export const quoted = (text: string): string[] =>
  printable(text)
    .split('\n')
    .map((line) => `  │ ${line}`);

function ageOf(approval: Approval, now: Date): string {
  const seconds = (at: string) => (Date.parse(at) - now.getTime()) / 1_000;
  const asked = `Asked ${duration(-seconds(approval.created_at))} ago by ${actorWords(approval.requested_by, approval.requested_by_name)}`;
  if (approval.state === 'pending') {
    return `${asked}, expires in ${duration(seconds(approval.expires_at))}.`;
  }
  const because = approval.answer === null ? '' : `: ${printable(approval.answer)}`;
  return `${asked}, ${approval.state}${because}.`;
}
