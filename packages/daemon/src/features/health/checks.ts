// The checks of `relay doctor` that only the daemon can run: each reports what it found and how to fix it. A check that
// fails to run is a finding too.

import type { BackupStatus } from '@relay/contract/api/backups';
import type { MemoryStatus } from '@relay/contract/api/memory';
import type { NotificationsOverview } from '@relay/contract/api/notifications';
import type { HealthCheck } from '@relay/contract/api/status';
import {
  CONNECTION_FAULTS,
  type ConnectionState,
  connectionSentence,
  whatsappStatusOf,
} from '@relay/contract/connection/states';
import { RelayError } from '@relay/contract/errors';
import type { AgentSettings } from '@relay/contract/settings';
import { type DayUse, dayBudgetError, modelPriceFor, ZERO_DAY_USE } from '@relay/core/agent/budget';
import type { WhatsAppLink } from '@relay/core/ports/transport';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { isDatabaseAway } from '../../platform/db/failures.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { verifyChain } from '../../platform/db/ledger-chain.ts';
import { readRolePrivileges } from '../../platform/db/roles.ts';
import { spentTodaySql } from '../../platform/db/runs.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';

interface DoctorDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly jobs: Jobs;
  readonly database: {
    readonly kind: 'private' | 'external';
    readonly version: string;
    /** Why a connection failed, and what to do about it. */
    explain(cause: unknown): RelayError;
  };
  readonly schemaVersion: number;
  memory(): Promise<MemoryStatus>;
  /** How voice messages are transcribed, and what is wrong with it; null while it is off. */
  transcription(): Promise<{ readonly found: string; readonly fault: string | null } | null>;
  link(): WhatsAppLink;
  /** Asks the provider about the configured model. Rejects with what is wrong and what to do. */
  probeModel(): Promise<string>;
  /** How far this clock is ahead of WhatsApp's, in seconds; null before the first login. */
  clockAhead(): number | null;
  /** Problems with webhooks, as a sentence. */
  webhookTrouble(): Promise<string | null>;
  notifications(): Promise<
    Pick<NotificationsOverview, 'own_chat' | 'devices' | 'ntfy' | 'webhook'> & {
      /** Problems with them, as a sentence. */
      readonly trouble: string | null;
    }
  >;
  readonly agent: AgentSettings;
  /** The provider of the agents' model; null when none is set up. */
  provider(): Promise<string | null>;
  readonly now: () => Date;
  /** The owner's time zone; an IANA name. */
  readonly zone: string;
  backup(): Promise<BackupStatus>;
  /** The account belongs to another person than the home, who gets no checks of the machine. */
  readonly isHosted: boolean;
  /** Whether to repeat checks that passed before. */
  readonly full?: boolean;
}

export async function runDoctorChecks(source: DoctorDeps): Promise<HealthCheck[]> {
  const checks: (readonly [
    name: string,
    check: (source: DoctorDeps) => Promise<Omit<HealthCheck, 'name'>>,
  ])[] = [
    ['database', checkDatabase],
    ['whatsapp', checkWhatsApp],
    ['model', checkModel],
    ['clock', checkClock],
    ['ledger', checkLedger],
    ['jobs', checkJobs],
    ['memory', checkMemory],
    ...((await isTranscriptionSet(source)) ? [['transcription', checkTranscription] as const] : []),
    ['webhooks', checkWebhooks],
    ['notifications', checkNotifications],
    ['budget', checkBudget],
    ['backup', checkBackup],
  ];
  const shown = checks.filter(([name]) => !source.isHosted || !OF_THE_MACHINE.has(name));
  return Promise.all(
    shown.map(async ([name, check]) => {
      try {
        return { name, ...(await check(source)) };
      } catch (error) {
        if (isDatabaseAway(error)) {
          const found = 'Not checked: the database cannot be used.';
          return { name, ok: 'warn' as const, found, mend: null };
        }
        return {
          name,
          ok: 'no' as const,
          found: 'The check failed.',
          mend: SEE_LOGS,
        };
      }
    }),
  );
}

/** What they find out concerns the person who runs Relay. */
const OF_THE_MACHINE: ReadonlySet<string> = new Set(['database', 'clock', 'backup']);

const SEE_LOGS = 'See `relay logs --level error`.';

async function checkDatabase({ db, database, schemaVersion }: DoctorDeps) {
  const began = performance.now();
  try {
    await sql`SELECT 1`.execute(db);
  } catch (error) {
    const { sentence, action } = database.explain(error);
    return { ok: 'no' as const, found: sentence, mend: action ?? SEE_LOGS };
  }
  const ms = Math.max(1, Math.round(performance.now() - began));
  const whose = database.kind === 'private' ? 'private' : 'external';
  const found = `PostgreSQL ${database.version} (${whose} server) answers in ${ms} ms; schema ${schemaVersion}.`;
  const { user, isSuperuser, isOwner } = await readRolePrivileges(db);
  if (!isSuperuser && !isOwner) return { ok: 'yes' as const, found, mend: null };
  const standing = isSuperuser ? 'is a superuser' : 'owns its tables';
  return {
    ok: 'warn' as const,
    found: `${found} The daemon connects as "${user}", which ${standing}.`,
    mend: 'Set DATABASE_OWNER_URL to the owner and DATABASE_URL to a separate role for the daemon: docs/operations.md, "Two roles".',
  };
}

function describeUnlinked(state: ConnectionState): Omit<HealthCheck, 'name'> {
  const mend = 'Link one with `relay init`.';
  return state === 'qr_ready' || whatsappStatusOf(state) === 'connecting'
    ? { ok: 'warn', found: connectionSentence(state), mend }
    : { ok: 'no', found: 'No phone is linked.', mend };
}

async function checkWhatsApp({ link, now }: DoctorDeps) {
  const { state, phone, fault, health, timeLockedUntil } = link();
  const sentence = connectionSentence(state);
  if (fault !== null && whatsappStatusOf(state) !== 'connected') {
    const { sentence: cause, action: mend } = CONNECTION_FAULTS[fault];
    return { ok: 'no' as const, found: cause, mend };
  }
  if (whatsappStatusOf(state) === 'connected') {
    const since = health.lastStanzaAt;
    const last = since === null ? '' : ` Last data ${roughly((+now() - +since) / 1_000)} ago.`;
    const found = `Linked as +${phone ?? '?'}. ${sentence}${last}`;
    if (state === 'time_locked' || state === 'phone_offline') {
      const until = timeLockedUntil === null ? '' : ` until ${timeLockedUntil.toISOString()}`;
      const mend =
        state === 'time_locked'
          ? `Wait${until}.`
          : 'Open WhatsApp on your phone while it is online.';
      return { ok: 'warn' as const, found, mend };
    }
    return { ok: 'yes' as const, found, mend: null };
  }
  if (phone === null) return describeUnlinked(state);
  return whatsappStatusOf(state) === 'connecting'
    ? { ok: 'warn' as const, found: sentence, mend: 'Wait for the next attempt: `relay whatsapp`.' }
    : { ok: 'no' as const, found: sentence, mend: 'Try again with `relay whatsapp connect`.' };
}

async function checkModel({ probeModel }: DoctorDeps) {
  try {
    return { ok: 'yes' as const, found: await probeModel(), mend: null };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    const { sentence: found, action = 'Choose another one with `relay init`.' } = error;
    // Without a model everything else works.
    const ok = error.code === 'model_incomplete' ? ('warn' as const) : ('no' as const);
    return { ok, found, mend: action };
  }
}

const MOST_SKEW_S = 5;
/** WhatsApp counts whole seconds, and a login may take a while. */
const MOST_AHEAD_S = 60;

async function checkClock({ db, clockAhead }: DoctorDeps) {
  const ahead = clockAhead() ?? 0;
  if (Math.abs(ahead) > MOST_AHEAD_S) {
    const way = ahead > 0 ? 'ahead of' : 'behind';
    return {
      ok: 'warn' as const,
      found: `The clock of this machine is ${roughly(Math.abs(ahead))} ${way} WhatsApp’s.`,
      mend: 'Set the clock, or let the system synchronize it (`timedatectl set-ntp true` on Linux). Schedules, quiet hours and follow-ups depend on it.',
    };
  }
  const { rows } = await sql<{ seconds: number }>`
    SELECT extract(epoch FROM clock_timestamp())::float8 - ${Date.now() / 1000}::float8 AS seconds`.execute(
    db,
  );
  const skew = Math.abs(rows[0]?.seconds ?? 0);
  return skew <= MOST_SKEW_S
    ? { ok: 'yes' as const, found: 'Daemon and database agree on the time.', mend: null }
    : {
        ok: 'warn' as const,
        found: `Daemon and database differ by ${Math.round(skew)} s.`,
        mend: 'Synchronize the clocks of both machines with NTP. Follow-ups use the clock of the database.',
      };
}

async function checkLedger({ db, lease, full = false }: DoctorDeps) {
  const { whole, sentence: found } = await verifyChain(db, lease.account, { full });
  return whole
    ? { ok: 'yes' as const, found, mend: null }
    : {
        ok: 'no' as const,
        found,
        mend: 'The database was changed outside Relay. Compare it with a backup (`relay export`).',
      };
}

async function checkJobs({ jobs, lease }: DoctorDeps) {
  const { waiting, dead } = await jobs.counts(lease.account);
  const count = dead.reduce((sum, row) => sum + row.count, 0);
  return count === 0
    ? { ok: 'yes' as const, found: `No failed jobs; ${waiting} waiting.`, mend: null }
    : {
        ok: 'warn' as const,
        found: `Failed jobs: ${count} (${dead.map((row) => row.queue).join(', ')}).`,
        mend: SEE_LOGS,
      };
}

async function checkMemory({ memory }: DoctorDeps) {
  const { embeddings, model, documents, vectors, failure } = await memory();
  if (embeddings === 'off') {
    const texts = documents === 1 ? '1 text' : `${formatNumber(documents)} texts`;
    const found = `${texts} searchable by words. Search by meaning is off.`;
    return { ok: 'yes' as const, found, mend: null };
  }
  const found = `${formatNumber(vectors)} of ${formatNumber(documents)} texts searchable by meaning (${model ?? 'unknown model'}).`;
  if (failure === null) return { ok: 'yes' as const, found, mend: null };
  return {
    ok: 'warn' as const,
    found: `${found} ${failure.sentence}`,
    mend: 'See `relay memory`. Choose another model, or turn it off, with `relay memory embeddings`.',
  };
}

/** A row only if it is set up; one that cannot be read is a row too. */
const isTranscriptionSet = ({ transcription }: DoctorDeps): Promise<boolean> =>
  transcription().then(
    (status) => status !== null,
    () => true,
  );

async function checkTranscription({ transcription }: DoctorDeps) {
  const { found, fault } = (await transcription()) ?? { found: 'Off.', fault: null };
  if (fault === null) return { ok: 'yes' as const, found, mend: null };
  return {
    ok: 'warn' as const,
    found: `${found} ${fault}`,
    mend: 'Check "transcription" in the settings, and see `relay logs --level warn`.',
  };
}

async function checkWebhooks({ webhookTrouble }: DoctorDeps) {
  const found = await webhookTrouble();
  return found === null
    ? { ok: 'yes' as const, found: 'No failing webhooks.', mend: null }
    : {
        ok: 'warn' as const,
        found,
        mend: 'See the reasons with `relay webhook deliveries`; test one with `relay webhook test`.',
      };
}

async function checkNotifications({ notifications }: DoctorDeps) {
  const { own_chat, devices, ntfy, webhook, trouble } = await notifications();
  const places = [
    ...(own_chat ? ['your own chat'] : []),
    ...(devices.length === 0
      ? []
      : [devices.length === 1 ? '1 device' : `${devices.length} devices`]),
    ...(ntfy.url === null ? [] : ['ntfy']),
    ...(webhook.url === null ? [] : ['webhook']),
  ];
  if (places.length === 0) {
    return {
      ok: 'warn' as const,
      found: 'Nothing tells you when an approval waits.',
      mend: 'Turn on notifications on a device: Settings in the console, or docs/guides/notifications.md.',
    };
  }
  const found = `You are notified in: ${places.join(', ')}.`;
  if (trouble !== null) {
    const mend = 'Find the reason with `relay notifications test`.';
    return { ok: 'warn' as const, found: `${found} ${trouble}`, mend };
  }
  const quiet = own_chat && places.length === 1;
  const note = ' Your own chat does not ring: turn on a device in the console’s settings.';
  return { ok: 'yes' as const, found: quiet ? found + note : found, mend: null };
}

const formatNumber = (count: number): string => count.toLocaleString('en');

async function checkBudget(source: DoctorDeps) {
  const { db, lease, agent, provider } = source;
  const { rows } = await sql<{ day: DayUse }>`
    SELECT ${spentTodaySql(lease.account, source)} AS day`.execute(db);
  const used = rows[0]?.day ?? ZERO_DAY_USE;
  const money = `${(used.micros / 1_000_000).toFixed(2)} of ${agent.usd_per_day.toFixed(2)} USD`;
  const found = `Used today: ${money}, ${formatNumber(used.tokens)} of ${formatNumber(agent.tokens_per_day)} model tokens.${priceWords(agent, await provider())}`;
  const spent = dayBudgetError(agent, used);
  return spent === null
    ? { ok: 'yes' as const, found, mend: null }
    : { ok: 'warn' as const, found, mend: spent.message };
}

const PRICES = '`agent.usd_per_million_input_tokens` and `agent.usd_per_million_output_tokens`';

function priceWords(agent: AgentSettings, provider: string | null): string {
  if (provider === null) return '';
  const { input, output, from } = modelPriceFor(provider, agent);
  if (from === 'unknown') {
    return ` The price of ${provider} is unknown, so its calls count as 0 USD. Set it with ${PRICES}.`;
  }
  const price = ` Price of 1 million tokens (${provider}): ${input} USD input, ${output} USD output`;
  return from === 'assumed' ? `${price}, assumed. Set it with ${PRICES}.` : `${price}.`;
}

async function checkBackup({ backup }: DoctorDeps) {
  const { every, last_at, trouble } = await backup();
  const last = last_at === null ? 'No backup yet.' : `Last backup: ${last_at}.`;
  if (trouble !== null) {
    return {
      ok: 'warn' as const,
      found: `${trouble} ${last}`,
      mend: 'Try again with `relay backup`.',
    };
  }
  const found =
    every === 'off' ? 'Scheduled backups are off.' : `Scheduled backups: every ${every}.`;
  return { ok: 'yes' as const, found: `${found} ${last}`, mend: null };
}

function roughly(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800
    ? `${Math.round(seconds / 3_600)} h`
    : `${Math.round(seconds / 86_400)} days`;
}
