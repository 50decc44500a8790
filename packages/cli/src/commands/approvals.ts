// `relay approvals`: lists pending approvals with the exact recipient and text, and approves, edits or declines them.
import { APPROVAL_STATES, type Approval, type ApprovalState } from '@relay/contract/api/approvals';
import { RelayError } from '@relay/contract/errors';
import { describeOutgoing } from '@relay/core/approvals/approval-text';
import { describeActor } from '@relay/core/ledger/format';
import { describeRisks } from '@relay/core/policy/risks';
import { clientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { formatDuration, toPrintable } from '../format.ts';
import type { Terminal } from '../terminal.ts';

export const listApprovalsCommand: RunCommand = async ({ config, terminal, options }) => {
  const state = parseApprovalState(options.state);
  const approvals = await clientOf(config.home).get('/api/approvals', { query: { state } });
  if (terminal.json) terminal.writeJson(approvals);
  else if (approvals.length === 0) {
    terminal.notice(`No ${STATE_NAMES[state]} approvals.`);
  } else {
    for (const line of formatApprovals(approvals, terminal.colours, new Date()))
      terminal.writeLine(line);
  }
  return 0;
};

/** The API calls a declined approval rejected. */
const STATE_NAMES: Readonly<Record<ApprovalState, string>> = {
  pending: 'pending',
  approved: 'approved',
  rejected: 'declined',
  expired: 'expired',
};

/** Accepts the names of the API too. */
function parseApprovalState(given: unknown): ApprovalState {
  const name = given ?? 'pending';
  const known = APPROVAL_STATES.find((state) => state === name || STATE_NAMES[state] === name);
  if (known !== undefined) return known;
  const names = Object.values(STATE_NAMES).join(', ');
  throw new RelayError('usage', { what: `Give --state one of ${names}.` });
}

export function formatApprovals(
  approvals: readonly Approval[],
  colours: Pick<Terminal['colours'], 'dim' | 'bold'>,
  now: Date,
): string[] {
  const lines = approvals.flatMap((approval) => [
    `${colours.bold(toPrintable(approval.id))}  ${capitalized(describeApproval(approval))}`,
    ...quoteMessageText(describeOutgoing(approval)),
    ...(approval.when === null ? [] : [`  When: ${toPrintable(approval.when)}`]),
    `  ${approval.reason}`,
    ...formatRisks(approval),
    `  ${colours.dim(ageOf(approval, now))}`,
    '',
  ]);
  const pending = approvals.some(({ state }) => state === 'pending');
  return pending
    ? [
        ...lines,
        'Approve with `relay approvals approve <id>`; decline with `relay approvals reject <id>`.',
      ]
    : lines.slice(0, -1);
}

export const formatRisks = ({ risks }: Pick<Approval, 'risks'>): string[] =>
  describeRisks(risks).map((line) => `  ${line}`);

/** What is approved, and the exact recipient; fits into a sentence. */
export function describeApproval({ kind, recipient, recipient_name: name }: Approval): string {
  const address = toPrintable(recipient ?? 'an unknown contact');
  const to = name === null ? address : `${toPrintable(name)} (${address})`;
  return DESCRIPTIONS[kind](to);
}

const DESCRIPTIONS: Readonly<Record<Approval['kind'], (to: string) => string>> = {
  send_message: (to) => `message to ${to}`,
  create_conversation: (to) => `conversation with ${to}`,
  schedule_message: (to) => `scheduled message to ${to}`,
  cancel_schedule: (to) => `cancellation of a scheduled message to ${to}`,
  manage_grant: (to) => `grant change for ${to}`,
};

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Every line of the text starts with a bar, so that nothing else can look like part of the message. */
export const quoteMessageText = (text: string): string[] =>
  toPrintable(text)
    .split('\n')
    .map((line) => `  │ ${line}`);

function ageOf(approval: Approval, now: Date): string {
  const seconds = (at: string) => (Date.parse(at) - now.getTime()) / 1_000;
  const age = formatDuration(-seconds(approval.created_at));
  const requester = describeActor(approval.requested_by, approval.requested_by_name);
  const requested = `Requested ${age} ago by ${requester}`;
  if (approval.state === 'pending') {
    return `${requested}, expires in ${formatDuration(seconds(approval.expires_at))}.`;
  }
  const because = approval.answer === null ? '' : `: ${toPrintable(approval.answer)}`;
  return `${requested}, ${STATE_NAMES[approval.state]}${because}.`;
}

// `relay approvals approve [id]`: approves exactly what was shown.

const AFTER_APPROVAL: Readonly<Record<Approval['kind'], string>> = {
  send_message: 'It is queued for sending.',
  create_conversation: 'It was created.',
  schedule_message: 'It is sent at the scheduled time.',
  cancel_schedule: 'The schedule is cancelled.',
  manage_grant: 'It applies from now on.',
};

export const approveApprovalCommand: RunCommand = async ({ config, terminal, args }) => {
  const client = clientOf(config.home);
  const id = await findApprovalId(client, args[0]);
  writeApproved(terminal, await client.post('/api/approvals/{id}/approve', { path: { id } }));
  return 0;
};

function writeApproved(terminal: Terminal, approval: Approval): void {
  if (terminal.json) terminal.writeJson(approval);
  else
    terminal.writeLine(`Approved: ${describeApproval(approval)}. ${AFTER_APPROVAL[approval.kind]}`);
}

// `relay approvals edit <id> <text>`: changes the text of a pending approval. Nothing is sent: the new text needs its
// own approval, which `--approve` gives at once, as the console does.

export const editApprovalCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const [id = '', ...words] = args;
  const client = clientOf(config.home);
  const approval = await client.post('/api/approvals/{id}/edit', {
    path: { id },
    body: { text: words.join(' ') },
  });
  if (options.approve === true) {
    // Exactly the text that was just written: if it was changed again meanwhile, it is refused.
    const body = { shown: approval.shown };
    const approved = await client.post('/api/approvals/{id}/approve', {
      path: { id: approval.id },
      body,
    });
    writeApproved(terminal, approved);
  } else if (terminal.json) terminal.writeJson(approval);
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
  else terminal.writeLine(`Declined: ${describeApproval(approval)}. Nothing was done.`);
  return 0;
};

// The given approval, or the only pending one.

async function findApprovalId(
  client: ReturnType<typeof clientOf>,
  id: string | undefined,
): Promise<string> {
  if (id !== undefined) return id;
  const pending = await client.get('/api/approvals', { query: { state: 'pending' } });
  const [only] = pending;
  if (only === undefined) throw new RelayError('usage', { what: 'No approvals are pending.' });
  if (pending.length === 1) return only.id;
  throw new RelayError('usage', {
    what: `${pending.length} approvals are pending. Give the id of one; list them with \`relay approvals\`.`,
  });
}
