// `relay status`: formats the daemon's status.
import type { DaemonStatus } from '@relay/contract/api/status';
import { clientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { formatCount, formatDuration, formatPhone, formatRows, toPrintable } from '../format.ts';
import { findDaemon } from '../running-daemon.ts';

export const showStatusCommand: RunCommand = async ({ config, terminal }) => {
  const status = await clientOf(config.home).get('/api/status');
  if (terminal.json) {
    terminal.writeJson(status);
    return 0;
  }
  const { bold, green, yellow } = terminal.colours;
  const daemon = findDaemon(config.home);
  const port = daemon.state === 'running' ? daemon.port : config.port;
  terminal.writeLine(
    status.hold
      ? `${yellow('●')} ${bold('Relay is running, on hold: nothing is sent.')}`
      : `${green('●')} ${bold('Relay is running.')}`,
  );
  terminal.writeLine('');
  for (const line of formatStatus(status, port)) terminal.writeLine(toPrintable(line));
  return 0;
};

export function formatStatus(status: DaemonStatus, port: number): string[] {
  const { jobs, database, whatsapp } = status;
  const dead = jobs.dead_letters.map(
    (letter) => `${letter.queue}: ${letter.count}. ${letter.sentence}`,
  );
  return formatRows([
    ['PID', String(status.pid)],
    ['Uptime', formatDuration(status.uptime_seconds)],
    [
      'WhatsApp',
      whatsapp.phone_number === null
        ? whatsapp.sentence
        : `${whatsapp.sentence} (${formatPhone(whatsapp.phone_number)})`,
    ],
    ['Sending', status.sending.sentence],
    ...said('While away', status.report?.sentence),
    ['Conversations', conversations(status)],
    ...said('Approvals', approvals(status.approvals_waiting)),
    ...said('Knocks', describeMessageRequests(status.knocks_waiting)),
    ...said('Webhooks', status.webhooks ?? undefined),
    ...said('Storage', status.storage ?? undefined),
    ...said('Backup', status.backup.trouble ?? undefined),
    [
      'Database',
      `${database.kind} PostgreSQL ${database.server_version}, schema ${database.schema_version}`,
    ],
    [
      'Jobs',
      `${jobs.waiting} waiting, ${jobs.running} running, ${timers(status.timers_pending)} set`,
    ],
    ['Dead letters', dead[0] ?? (jobs.dead === 0 ? 'none' : String(jobs.dead))],
    ...dead.slice(1).map((line): [string, string] => ['', line]),
    ['Home', status.home],
    ['Console', `http://127.0.0.1:${port} (\`relay open\` signs you in)`],
    ['Version', status.version],
  ]);
}

const said = (name: string, sentence: string | undefined): [string, string][] =>
  sentence === undefined ? [] : [[name, sentence]];

function conversations(status: DaemonStatus): string {
  const { active_instance_count: active, total_instance_count: all, needs_you_count: you } = status;
  const waiting = you === 0 ? '' : `, ${you} waiting for you`;
  return `${active} active${waiting}, ${all} in all`;
}

const approvals = (waiting: number): string | undefined =>
  waiting === 0 ? undefined : `${waiting} waiting for your yes: \`relay approvals\``;

const describeMessageRequests = (people: number): string | undefined =>
  people === 0
    ? undefined
    : `${formatCount(people, 'person', 'people')} wrote without a grant: \`relay contacts --knocks\``;

/** The daemon stops counting here. */
const COUNTED = 10_000;

const timers = (pending: number): string =>
  pending >= COUNTED ? '10,000 or more timers' : formatCount(pending, 'timer');
