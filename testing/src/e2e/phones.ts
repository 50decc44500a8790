// The people of the simulated network, driven only over its control API. Invariant: a refusal throws with the
// simulator's own sentence.
import { ControlClient, type RemoteMessage } from '@relay/simulator/control/testing/control-client';
import type { DeliveryCounts } from '@relay/simulator/whatsapp/people/mailbox';

export type LinkAnswer = { linked: true; device: number } | { linked: false; reason: string };

/** Null resets a code; settings that are not named stay as they are. */
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
  /** When it was written; defaults to now. */
  readonly at?: Date;
  readonly addressing?: 'pn' | 'lid';
  readonly corrupt?: boolean;
}

export class Phones extends ControlClient {
  async add(phone: string, name: string, more: object = {}): Promise<void> {
    await this.ok('POST /accounts', { phone, name, ...more });
  }

  /** Sets the names by which the service identifies this person to others. */
  async knownAs(phone: string, knownAs: 'both' | 'lid' | 'pn'): Promise<void> {
    await this.ok(`POST /accounts/${phone}/known-as`, { knownAs });
  }

  /** Takes the text of a QR code, or its picture as a data URL. */
  scan(phone: string, qr: string): Promise<LinkAnswer> {
    return this.ok(`POST /accounts/${phone}/scan`, { qr });
  }

  typeCode(phone: string, code: string): Promise<LinkAnswer> {
    return this.ok(`POST /accounts/${phone}/pair-code`, { code });
  }

  /** Returns the message's id. */
  async send(from: string, to: string, text: string, how: PhoneSendOptions = {}): Promise<string> {
    const route = `POST /accounts/${from}/messages`;
    return (await this.ok<{ id: string }>(route, { to, text, ...how })).id;
  }

  async react(from: string, to: string, reaction: { id: string; emoji: string }): Promise<void> {
    await this.ok(`POST /accounts/${from}/messages`, { to, reaction });
  }

  /** Returns the group's JID. */
  async group(subject: string, owner: string, members: readonly string[]): Promise<string> {
    return (await this.ok<{ id: string }>('POST /groups', { subject, owner, members })).id;
  }

  /** Messages from another person that this one could decrypt, in order of arrival. */
  async received(phone: string, from: string): Promise<RemoteMessage[]> {
    return (await this.messages(phone, from)).filter((message) => !message.fromMe);
  }

  async read(phone: string, other: string): Promise<void> {
    await this.ok(`POST /accounts/${phone}/read`, { with: other });
  }

  /** Ends the connections of linked devices: with a code as the server would, without one by cutting. */
  async disconnect(phone: string, code?: number): Promise<void> {
    await this.ok(`POST /accounts/${phone}/disconnect`, code === undefined ? {} : { code });
  }

  faults(settings: Faults): Promise<unknown> {
    return this.ok('POST /faults', settings);
  }

  async clearFaults(): Promise<void> {
    await this.ok('DELETE /faults');
  }

  /** Counts for one recipient, or for all together. */
  counts(phone?: string): Promise<DeliveryCounts> {
    return this.ok(`GET /counts${phone === undefined ? '' : `?account=${phone}`}`);
  }
}
