// Creates and reads stanzas. The binary encoding is Baileys' own. Invariant: an undefined attribute is omitted, so
// callers can pass optional ones directly.
import { randomBytes } from 'node:crypto';
import {
  type BinaryNode,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  getBinaryNodeChildren,
  S_WHATSAPP_NET,
} from '@whiskeysockets/baileys';

export type Stanza = BinaryNode;
type Content = NonNullable<BinaryNode['content']>;

export function node(
  tag: string,
  attrs: Record<string, string | undefined> = {},
  content?: Content,
): Stanza {
  const present = Object.entries(attrs).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return {
    tag,
    attrs: Object.fromEntries(present),
    ...(content !== undefined && { content }),
  };
}

export const child = getBinaryNodeChild;
export const children = getBinaryNodeChildren;

export function firstChild(stanza: Stanza): Stanza | undefined {
  return getAllBinaryNodeChildren(stanza)[0];
}

/** The bytes of a required child. */
export function childBytes(stanza: Stanza | undefined, tag: string): Buffer {
  const bytes = getBinaryNodeChildBuffer(stanza, tag);
  if (!bytes) throw new Error(`<${stanza?.tag ?? '?'}> lacks <${tag}>`);
  return Buffer.from(bytes);
}

export function contentBytes(stanza: Stanza): Buffer {
  if (!(stanza.content instanceof Uint8Array)) throw new Error(`<${stanza.tag}> holds no bytes`);
  return Buffer.from(stanza.content);
}

export function attr(stanza: Stanza, name: string): string {
  const value = stanza.attrs[name];
  if (value === undefined) throw new Error(`<${stanza.tag}> lacks ${name}`);
  return value;
}

export function seconds(at: Date = new Date()): string {
  return String(Math.floor(at.getTime() / 1000));
}

export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex').toUpperCase();
}

/** A server notification with its content as one child. */
export function notification(
  type: string,
  content: Stanza[],
  attrs: Record<string, string | undefined> = {},
): Stanza {
  return node(
    'notification',
    { from: S_WHATSAPP_NET, id: randomHex(8), type, t: seconds(), ...attrs },
    content,
  );
}
