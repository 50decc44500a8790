// The nouns of the simulated network: who owns devices, what a device is handed, what a group is.
// Invariant: only types and pure helpers stand here, so every other file may know them.
import { jidEncode } from '@whiskeysockets/baileys';
import type { Bundle } from '../signal/bundle.ts';
import type { Address } from '../signal/endpoint.ts';
import type { Stanza } from '../wire/nodes.ts';

/** How a stanza names people: by phone number, or by the LID that hides it. */
export type Addressing = 'pn' | 'lid';

/** By which names the service tells others about somebody: some hide their number, some have no LID yet. */
export type KnownAs = 'both' | Addressing;

export interface Owner {
  readonly phone: string;
  readonly lid: string;
  /** Another spelling of the number. */
  readonly dialled?: string | undefined;
  readonly name: string;
  readonly knownAs: KnownAs;
  devices(): Device[];
  device(id: number): Device | undefined;
  /** Somebody received or read a message of this owner. */
  noteReceipt(id: string, from: Owner, kind: ReceiptKind): void;
}

export type ReceiptKind = 'delivered' | 'read';

export interface Device {
  readonly owner: Owner;
  /** 0 is the handset; companions count from 1. */
  readonly id: number;
  readonly keyIndex: number;
  bundle(): Bundle;
  deliver(delivery: Delivery): void;
}

export interface Delivery {
  stanza: Stanza;
  sender: Device;
  chat: Chat;
  addressing: Addressing;
}

export type Role = 'superadmin' | 'admin' | 'member';

export interface Group {
  readonly jid: string;
  readonly subject: string;
  readonly addressing: Addressing;
  readonly createdAt: Date;
  readonly owner: Owner;
  readonly members: ReadonlyMap<Owner, Role>;
}

/** Where a message belongs, seen by the device that gets it. */
export type Chat = Owner | Group;

export function isGroup(chat: Chat): chat is Group {
  return 'members' in chat;
}

export function jidOf(owner: Owner, addressing: Addressing, device = 0): string {
  return addressing === 'lid'
    ? jidEncode(owner.lid, 'lid', device || undefined)
    : jidEncode(owner.phone, 's.whatsapp.net', device || undefined);
}

export function deviceJid(device: Device, addressing: Addressing): string {
  return jidOf(device.owner, addressing, device.id);
}

/** How somebody is named where others are named by `wanted`. */
export function namedBy({ knownAs }: Owner, wanted: Addressing): Addressing {
  return knownAs === 'both' ? wanted : knownAs;
}

/** The JID by which others get to know somebody. */
export function shownJid(owner: Owner, wanted: Addressing): string {
  return jidOf(owner, namedBy(owner, wanted));
}

/** The other name of a sender, which every message carries beside the one it uses unless the service hides it. */
export function otherName(owner: Owner, addressing: Addressing): string | undefined {
  return owner.knownAs === 'both' ? jidOf(owner, addressing === 'lid' ? 'pn' : 'lid') : undefined;
}

export function addressOf(device: Device): Address {
  return { person: device.owner.lid, device: device.id };
}

/** A chat's name in the typed API: the phone number, or the group's JID. */
export function chatName(chat: Chat): string {
  return isGroup(chat) ? chat.jid : chat.phone;
}
