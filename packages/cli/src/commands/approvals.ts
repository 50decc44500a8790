// `relay approvals`: lists pending approvals with the exact recipient and text, and approves, edits or rejects them.
import { APPROVAL_STATES, type Approval, type ApprovalState } from '@relay/contract/api/approvals';
import { RelayError } from '@relay/contract/errors';
import { withoutApprovalsHint } from '@relay/core/approvals/approval-text';
import { describeActor } from '@relay/core/ledger/format';
import { clientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { formatCount, formatDuration, toPrintable } from '../format.ts';
import type { Terminal } from '../terminal.ts';

export const listApprovalsCommand: RunCommand = async ({ config, terminal, options }) => {
  const state = parseApprovalState(options.state);
  const approvals = await clientOf(config.home).get('/api/approvals', { query: { state } });
  if (terminal.json) terminal.writeJson(approvals);
  else if (approvals.length === 0) {
    terminal.progress(state === 'pending' ? 'Nothing waits for you.' : `None is ${state}.`);
  } else {
    for (const line of formatApprovals(approvals, terminal.colours, new Date()))
      terminal.writeLine(line);
  }
  return 0;
};

function parseApprovalState(state: unknown): ApprovalState {
  const known = APPROVAL_STATES.find((name) => name === (state ?? 'pending'));
  if (known !== undefined) return known;
  throw new RelayError('usage', { what: `Give --state one of ${APPROVAL_STATES.join(', ')}.` });
}

export function formatApprovals(
  approvals: readonly Approval[],
  colours: Pick<Terminal['colours'], 'dim' | 'bold'>,
  now: Date,
): string[] {
  const lines = approvals.flatMap((approval) => [
    `${colours.bold(toPrintable(approval.id))}  ${formatApprovalRecipient(approval)}`,
    ...quoteMessageText(approval.text),
    ...(approval.when === null ? [] : [`  When: ${toPrintable(approval.when)}`]),
    `  ${withoutApprovalsHint(approval.reason)}`,
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

export function formatApprovalRecipient({
  kind,
  recipient,
  recipient_name: name,
}: Approval): string {
  const address = toPrintable(recipient ?? 'nobody that is known any more');
  const to = name === null ? address : `${toPrintable(name)} (${address})`;
  return ABOUT[kind](to);
}

const ABOUT: Readonly<Record<Approval['kind'], (to: string) => string>> = {
  send_message: (to) => `to ${to}`,
  create_conversation: (to) => `a conversation with ${to}`,
  schedule_message: (to) => `later, to ${to}`,
  cancel_schedule: (to) => `the end of a scheduled message to ${to}`,
  manage_grant: (to) => `what agents may do with ${to}`,
};

/** Every line of the text starts with a bar, so that nothing else can look like part of the message. */
export const quoteMessageText = (text: string): string[] =>
  toPrintable(text)
    .split('\n')
    .map((line) => `  │ ${line}`);

function ageOf(approval: Approval, now: Date): string {
  const seconds = (at: string) => (Date.parse(at) - now.getTime()) / 1_000;
  const asked = `Asked ${formatDuration(-seconds(approval.created_at))} ago by ${describeActor(approval.requested_by, approval.requested_by_name)}`;
  if (approval.state === 'pending') {
    return `${asked}, expires in ${formatDuration(seconds(approval.expires_at))}.`;
  }
  const because = approval.answer === null ? '' : `: ${toPrintable(approval.answer)}`;
  return `${asked}, ${approval.state}${because}.`;
}

// `relay approvals approve [id]`: approves exactly what was shown.

const AFTER_APPROVAL: Readonly<Record<Approval['kind'], string>> = {
  send_message: 'It leaves in its turn.',
  create_conversation: 'It begins now.',
  schedule_message: 'It leaves when its time has come.',
  cancel_schedule: 'It is cancelled.',
  manage_grant: 'It holds from now on.',
};

export const approveApprovalCommand: RunCommand = async ({ config, terminal, args }) => {
  const client = clientOf(config.home);
  const id = await findApprovalId(client, args[0]);
  const approval = await client.post('/api/approvals/{id}/approve', { path: { id } });
  if (terminal.json) terminal.writeJson(approval);
  else
    terminal.writeLine(
      `Approved: ${formatApprovalRecipient(approval)}. ${AFTER_APPROVAL[approval.kind]}`,
    );
  return 0;
};

// `relay approvals edit <id> <text>`: changes the text of a pending approval. Nothing is sent: the new text needs its
// own approval.

export const editApprovalCommand: RunCommand = async ({ config, terminal, args }) => {
  const [id = '', ...words] = args;
  const approval = await clientOf(config.home).post('/api/approvals/{id}/edit', {
    path: { id },
    body: { text: words.join(' ') },
  });
  if (terminal.json) terminal.writeJson(approval);
  else
    for (const line of formatApprovals([approval], terminal.colours, new Date()))
      terminal.writeLine(line);
  return 0;
};

// `relay approvals reject [id]`: declines, with an optional reason that the conversation's agent reads.

export const rejectApprovalCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const client = clientOf(config.home);
  const id = await findApprovalId(client, args[0]);
  const reason = typeof options.reason === 'string' ? { reason: options.reason } : {};
  const approval = await client.post('/api/approvals/{id}/reject', { path: { id }, body: reason });
  if (terminal.json) terminal.writeJson(approval);
  else terminal.writeLine(`Rejected: ${formatApprovalRecipient(approval)}. Nothing was done.`);
  return 0;
};

// The given approval, or the only pending one.

async function findApprovalId(
  client: ReturnType<typeof clientOf>,
  id: string | undefined,
): Promise<string> {
  if (id !== undefined) return id;
  const waiting = await client.get('/api/approvals', { query: { state: 'pending' } });
  const [only] = waiting;
  if (only === undefined) throw new RelayError('usage', { what: 'Nothing waits for you.' });
  if (waiting.length === 1) return only.id;
  throw new RelayError('usage', {
    what: `${formatCount(waiting.length, 'approval')} wait: say which. \`relay approvals\` lists them.`,
  });
}
