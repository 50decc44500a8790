// The people of the simulated network, driven over its control API alone, as any program would.
// Invariant: what is refused throws, with the simulator's own sentence.
import { ControlClient, type RemoteMessage } from '@relay/simulator/control/testing/control-client';
import type { DeliveryCounts } from '@relay/simulator/whatsapp/people/mailbox';

export type LinkAnswer = { linked: true; device: number } | { linked: false; reason: string };

/** Null takes a code back; what is not named stays as it is. */
export interface Faults {
  readonly latencyMs?: number;
  readonly ackError?: number | null;
  readonly swallowMessages?: boolean;
  readonly withholdAcks?: boolean;
  readonly refuseLogin?: number | null;
  readonly iqDelayMs?: Readonly<Record<string, number>>;
  readonly iqIgnore?: readonly string[];
  readonly duplicateDeliveries?: boolean;
  readonly reorderDeliveries?: boolean;
}

export interface PhoneSendOptions {
  readonly id?: string;
  /** When it was written; now unless given. */
  readonly at?: Date;
  readonly addressing?: 'pn' | 'lid';
  readonly corrupt?: boolean;
}

export class Phones extends ControlClient {
  async add(phone: string, name: string, more: object = {}): Promise<void> {
    await this.ok('POST /accounts', { phone, name, ...more });
  }

  /** By which names the service tells others about this person from now on. */
  async knownAs(phone: string, knownAs: 'both' | 'lid' | 'pn'): Promise<void> {
    await this.ok(`POST /accounts/${phone}/known-as`, { knownAs });
  }

  /** The text of a QR code, or its picture as a data URL. */
  scan(phone: string, qr: string): Promise<LinkAnswer> {
    return this.ok(`POST /accounts/${phone}/scan`, { qr });
  }

  typeCode(phone: string, code: string): Promise<LinkAnswer> {
    return this.ok(`POST /accounts/${phone}/pair-code`, { code });
  }

  /** Gives the id of the message. */
  async send(from: string, to: string, text: string, how: PhoneSendOptions = {}): Promise<string> {
    const route = `POST /accounts/${from}/messages`;
    return (await this.ok<{ id: string }>(route, { to, text, ...how })).id;
  }

  async react(from: string, to: string, reaction: { id: string; emoji: string }): Promise<void> {
    await this.ok(`POST /accounts/${from}/messages`, { to, reaction });
  }

  /** Gives the JID of the group. */
  async group(subject: string, owner: string, members: readonly string[]): Promise<string> {
    return (await this.ok<{ id: string }>('POST /groups', { subject, owner, members })).id;
  }

  /** What this person got from another and could read, in the order it came. */
  async received(phone: string, from: string): Promise<RemoteMessage[]> {
    return (await this.messages(phone, from)).filter((message) => !message.fromMe);
  }

  async read(phone: string, other: string): Promise<void> {
    await this.ok(`POST /accounts/${phone}/read`, { with: other });
  }

  /** Ends the connections of linked devices: with a code as the server would, without by cutting. */
  async disconnect(phone: string, code?: number): Promise<void> {
    await this.ok(`POST /accounts/${phone}/disconnect`, code === undefined ? {} : { code });
  }

  faults(settings: Faults): Promise<unknown> {
    return this.ok('POST /faults', settings);
  }

  async clearFaults(): Promise<void> {
    await this.ok('DELETE /faults');
  }

  /** What one recipient, or all together, would see. */
  counts(phone?: string): Promise<DeliveryCounts> {
    return this.ok(`GET /counts${phone === undefined ? '' : `?account=${phone}`}`);
  }
}
