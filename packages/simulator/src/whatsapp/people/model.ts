// The nouns of the simulated network: who owns devices, what a device is handed, what a group is.
// Invariant: only types and pure helpers stand here, so every other file may know them.
import { jidEncode } from '@whiskeysockets/baileys';
import type { Bundle } from '../signal/bundle.ts';
import type { SignalAddress } from '../signal/endpoint.ts';
import type { Stanza } from '../wire/nodes.ts';

/** How a stanza names people: by phone number, or by the LID that hides it. */
export type Addressing = 'pn' | 'lid';

/** By which names the service tells others about somebody: some hide their number, some have no LID yet. */
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
  /** Somebody received or read a message of this owner. */
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

/** Where a message belongs, seen by the device that gets it. */
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

/** How somebody is named where others are named by `wanted`. */
export function effectiveAddressing({ knownAs }: DeviceOwner, wanted: Addressing): Addressing {
  return knownAs === 'both' ? wanted : knownAs;
}

/** The JID by which others get to know somebody. */
export function visibleJid(owner: DeviceOwner, wanted: Addressing): string {
  return ownerJid(owner, effectiveAddressing(owner, wanted));
}

/** The other name of a sender, which every message carries beside the one it uses unless the service hides it. */
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
