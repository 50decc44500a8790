// The first page: one sentence that says how Relay is, and the few facts behind it.
import type { DaemonStatus } from '@relay/core/api/status';
import { useStatus, type View } from './status.ts';

export function Home() {
  const view = useStatus();
  return (
    <main aria-busy={view.is === 'loading'}>
      <h1 aria-live="polite">{headline(view)}</h1>
      <Body view={view} />
    </main>
  );
}

function headline(view: View): string {
  switch (view.is) {
    case 'loading':
      return 'Asking Relay how it is …';
    case 'signed_out':
      return 'You are not signed in';
    case 'gone':
      return 'Relay does not answer';
    case 'here':
      return view.status.hold ? 'Relay is on hold: nothing is sent' : 'Relay is running';
  }
}

function Body({ view }: { view: View }) {
  switch (view.is) {
    case 'loading':
      return null;
    case 'signed_out':
      return (
        <p>
          Run <code>relay open</code> in a terminal; it signs you in here.
        </p>
      );
    case 'gone':
      return (
        <p>
          Run <code>relay start</code> in a terminal. This page notices by itself.
        </p>
      );
    case 'here':
      return <Facts status={view.status} />;
  }
}

function Facts({ status }: { status: DaemonStatus }) {
  const { whatsapp, jobs } = status;
  return (
    <>
      <p className={status.whatsapp_connected ? 'badge ok' : 'badge calm'}>
        <span aria-hidden="true">{status.whatsapp_connected ? '✓' : '○'}</span>
        <Sentence text={whatsapp.sentence} />
      </p>
      {status.needs_you_count > 0 && (
        <p className="badge you">
          {status.needs_you_count === 1
            ? 'One conversation waits for you.'
            : `${status.needs_you_count} conversations wait for you.`}
        </p>
      )}
      <dl>
        <dt>Up for</dt>
        <dd>{uptime(status.uptime_seconds)}</dd>
        <dt>Conversations</dt>
        <dd>
          {status.active_instance_count} active, {status.total_instance_count} in all
        </dd>
        {jobs.dead > 0 && (
          <>
            <dt>Dead letters</dt>
            <dd>{jobs.dead}</dd>
          </>
        )}
        <dt>Version</dt>
        <dd>{status.version}</dd>
      </dl>
    </>
  );
}

/** Commands stand between backticks in every sentence of Relay's. */
function Sentence({ text }: { text: string }) {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>));
}

function uptime(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24
    ? `${hours} h ${minutes % 60} min`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
