// The types of the simulated network: owners of devices, deliveries, groups. Invariant: it contains only types and pure
// helpers, so every other file may import it.
import { jidEncode } from '@whiskeysockets/baileys';
import type { Bundle } from '../signal/bundle.ts';
import type { SignalAddress } from '../signal/endpoint.ts';
import type { Stanza } from '../wire/nodes.ts';

/** How a stanza names people: by phone number, or by the LID that hides it. */
export type Addressing = 'pn' | 'lid';

/** The names by which the service identifies somebody to others: some hide their number, some have no LID yet. */
export type KnownAs = 'both' | Addressing;

export interface DeviceOwner {
  readonly phone: string;
  readonly lid: string;
  /** Another spelling of the number. */
  readonly dialled?: string | undefined;
  readonly name: string;
  readonly knownAs: KnownAs;
  devices(): Device[];
  device(id: number): Device | undefined;
  /** Records that somebody received or read a message of this owner. */
  noteReceipt(id: string, from: DeviceOwner, kind: ReceiptKind): void;
}

export type ReceiptKind = 'delivered' | 'read';

export interface Device {
  readonly owner: DeviceOwner;
  /** 0 is the handset; companions count from 1. */
  readonly id: number;
  readonly keyIndex: number;
  bundle(): Bundle;
  deliver(delivery: StanzaDelivery): void;
}

export interface StanzaDelivery {
  stanza: Stanza;
  sender: Device;
  chat: SimulatedChat;
  addressing: Addressing;
}

export type GroupRole = 'superadmin' | 'admin' | 'member';

export interface SimulatedGroup {
  readonly jid: string;
  readonly subject: string;
  readonly addressing: Addressing;
  readonly createdAt: Date;
  readonly owner: DeviceOwner;
  readonly members: ReadonlyMap<DeviceOwner, GroupRole>;
}

/** The chat of a message, from the receiving device's point of view. */
export type SimulatedChat = DeviceOwner | SimulatedGroup;

export function isGroupChat(chat: SimulatedChat): chat is SimulatedGroup {
  return 'members' in chat;
}

export function ownerJid(owner: DeviceOwner, addressing: Addressing, device = 0): string {
  return addressing === 'lid'
    ? jidEncode(owner.lid, 'lid', device || undefined)
    : jidEncode(owner.phone, 's.whatsapp.net', device || undefined);
}

export function deviceJid(device: Device, addressing: Addressing): string {
  return ownerJid(device.owner, addressing, device.id);
}

/** The addressing to use for somebody if `wanted` may be hidden. */
export function effectiveAddressing({ knownAs }: DeviceOwner, wanted: Addressing): Addressing {
  return knownAs === 'both' ? wanted : knownAs;
}

/** The JID by which others know somebody. */
export function visibleJid(owner: DeviceOwner, wanted: Addressing): string {
  return ownerJid(owner, effectiveAddressing(owner, wanted));
}

/** The sender's other JID, which every message also carries unless the service hides it. */
export function alternateJid(owner: DeviceOwner, addressing: Addressing): string | undefined {
  return owner.knownAs === 'both'
    ? ownerJid(owner, addressing === 'lid' ? 'pn' : 'lid')
    : undefined;
}

export function signalAddressOf(device: Device): SignalAddress {
  return { person: device.owner.lid, device: device.id };
}

/** A chat's name in the typed API: the phone number, or the group's JID. */
export function chatIdentifier(chat: SimulatedChat): string {
  return isGroupChat(chat) ? chat.jid : chat.phone;
}
