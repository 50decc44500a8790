// `relay status`: formats the daemon's status.
import type { DaemonStatus } from '@relay/contract/api/status';
import { clientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { formatCount, formatDuration, formatPhone, formatRows, toPrintable } from '../format.ts';
import { findDaemon } from '../running-daemon.ts';
import { formatAccounts } from './accounts.ts';

export const showStatusCommand: RunCommand = async ({ config, terminal }) => {
  const client = clientOf(config.home);
  const status = await client.get('/api/status');
  if (terminal.json) {
    terminal.writeJson(status);
    return 0;
  }
  const { bold, green, yellow } = terminal.colours;
  const daemon = findDaemon(config.home);
  const port = daemon.state === 'running' ? daemon.port : config.port;
  terminal.writeLine(
    status.hold
      ? `${yellow('●')} ${bold('Relay is running. Sending is on hold.')}`
      : `${green('●')} ${bold('Relay is running.')}`,
  );
  terminal.writeLine('');
  for (const line of formatStatus(status, port)) terminal.writeLine(toPrintable(line));
  const { accounts } = await client.get('/api/accounts');
  if (accounts.length > 1) {
    terminal.writeLine('');
    terminal.writeLine(bold('Accounts'));
    for (const line of formatAccounts(accounts)) terminal.writeLine(toPrintable(line));
  }
  return 0;
};

export function formatStatus(status: DaemonStatus, port: number): string[] {
  const { jobs, database, whatsapp } = status;
  const failed = jobs.dead_letters.map(
    (letter) => `${letter.queue}: ${letter.count}. ${letter.sentence}`,
  );
  return formatRows([
    ['PID', String(status.pid)],
    ['Uptime', formatDuration(status.uptime_seconds)],
    [
      'WhatsApp',
      whatsapp.phone_number === null
        ? whatsapp.sentence
        : `${whatsapp.sentence} Account: ${formatPhone(whatsapp.phone_number)}`,
    ],
    ['Sending', describeSending(status)],
    ...optionalRow('While offline', status.report?.sentence),
    ['Conversations', countConversations(status)],
    ...optionalRow('Approvals', describeApprovals(status.approvals_waiting)),
    ...optionalRow('Message requests', describeMessageRequests(status.knocks_waiting)),
    ...optionalRow('Webhooks', status.webhooks ?? undefined),
    ...optionalRow('Storage', status.storage ?? undefined),
    ...optionalRow('Backup', status.backup?.trouble ?? undefined),
    [
      'Database',
      `${database.kind} PostgreSQL ${database.server_version}, schema ${database.schema_version}`,
    ],
    [
      'Jobs',
      `${jobs.waiting} waiting, ${jobs.running} running, ${timers(status.timers_pending)} set`,
    ],
    ['Failed jobs', failed[0] ?? (jobs.dead === 0 ? 'none' : String(jobs.dead))],
    ...failed.slice(1).map((line): [string, string] => ['', line]),
    ...optionalRow('Home', status.home ?? undefined),
    ['Console', `http://127.0.0.1:${port} (sign in with \`relay open\`)`],
    ['Version', status.version],
  ]);
}

const optionalRow = (name: string, value: string | undefined): [string, string][] =>
  value === undefined ? [] : [[name, value]];

/** States in which linking is not finished, or WhatsApp has unlinked this device. */
const UNLINKED_STATES: ReadonlySet<string> = new Set([
  'qr_ready',
  'pairing_code_ready',
  'link_expired',
  'scanned',
  'passkey_requested',
  'passkey_sent',
  'passkey_required',
  'passkey_refused',
  'passkey_failed',
  'logged_out',
]);

/** A hold or a missing connection comes first: nothing is sent then, whatever the daemon reports about sending. */
function describeSending({ hold, whatsapp, whatsapp_connected, sending }: DaemonStatus): string {
  if (hold) return 'On hold';
  if (!whatsapp_connected) {
    const neverLinked = whatsapp.state === 'disconnected' && whatsapp.phone_number === null;
    return neverLinked || UNLINKED_STATES.has(whatsapp.state)
      ? 'Waiting: no phone is linked'
      : 'Waiting: WhatsApp is not connected';
  }
  return sending.light === 'green' ? 'Active' : sending.sentence;
}

function countConversations(status: DaemonStatus): string {
  const { active_instance_count: active, total_instance_count: all, needs_you_count: you } = status;
  const waiting = you === 0 ? '' : `, ${you} waiting for you`;
  return `${active} active${waiting}, ${all} total`;
}

const describeApprovals = (pending: number): string | undefined =>
  pending === 0 ? undefined : `${pending} pending (\`relay approvals\`)`;

const describeMessageRequests = (pending: number): string | undefined =>
  pending === 0 ? undefined : `${pending} pending (\`relay contacts --requests\`)`;

/** The daemon stops counting here. */
const COUNTED = 10_000;

const timers = (pending: number): string =>
  pending >= COUNTED ? '10,000 or more timers' : formatCount(pending, 'timer');
