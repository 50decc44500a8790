// The sentence that Home opens with, built of live counts. Pure.
import type { Approval } from '@relay/core/api/approvals';
import type { ListedInstance } from '@relay/core/api/instances';
import type { LinkBody } from '@relay/core/api/link';
import type { DaemonStatus } from '@relay/core/api/status';
import { counted, plural } from '../../parts/numbers.ts';

/** A conversation that stopped for a yes is answered by its approval, which stands there already. */
export const onceEach = <Stopped extends Pick<ListedInstance, 'approval_id'>>(
  stopped: readonly Stopped[],
  asked: readonly Pick<Approval, 'id'>[],
): readonly Stopped[] =>
  stopped.filter(({ approval_id }) => !asked.some(({ id }) => id === approval_id));

export function homeSentence(
  status: DaemonStatus,
  link: LinkBody | undefined,
  isGone: boolean,
): string {
  // What was true when it last answered is not said of now.
  if (isGone) return 'Relay is not answering.';
  return `${howItIs(status, link)} ${whatWaits(status.waiting_count)}`;
}

function howItIs(status: DaemonStatus, link: LinkBody | undefined): string {
  if (status.hold) return 'Relay is on hold.';
  if (status.whatsapp_connected) return 'Relay is listening.';
  if (link === undefined) return 'Relay is running.';
  if (link.phone === null) return 'Relay is not linked yet.';
  return link.status === 'connecting' ? 'Relay is reconnecting.' : 'WhatsApp is not connected.';
}

function whatWaits(n: number): string {
  if (n === 0) return 'Nothing waits for you.';
  return `${counted(n, 'thing waits', 'things wait')} for you.`;
}

export function homeLead(status: DaemonStatus): string {
  const { sending, active_instance_count, knocks_waiting, storage } = status;
  const sent =
    sending.sent_today === 0
      ? 'Nothing left in the last 24 hours'
      : `${plural(sending.sent_today, 'message')} left in the last 24 hours`;
  const open =
    active_instance_count === 0
      ? 'no conversation is under way'
      : `${plural(active_instance_count, 'conversation is', 'conversations are')} under way`;
  const knocked =
    knocks_waiting === 0
      ? ''
      : ` ${plural(knocks_waiting, 'person', 'people')} knocked; nobody read them.`;
  return `${sent}, ${open}.${knocked}${storage === null ? '' : ` ${storage}`}`;
}
