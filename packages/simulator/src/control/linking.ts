// A phone links a companion: by pointing its camera at a QR code, or by typing the companion's code.
// Invariant: what is no code is a bad request; a code that links nobody is a conflict.

import { RequestError } from '../http.ts';
import { readQr } from '../whatsapp/pairing/qr.ts';
import type { Account, Linking } from '../whatsapp/people/account.ts';
import { seenBy } from './camera.ts';

export async function scan(account: Account, picture: string): Promise<Linking> {
  const text = seenBy(picture);
  try {
    readQr(text);
  } catch (error) {
    throw new RequestError(400, `qr: ${sentence(error)}`);
  }
  return orConflict(account.scan(text));
}

export function typeCode(account: Account, code: string): Promise<Linking> {
  return orConflict(account.pairCode(code));
}

async function orConflict(linking: Promise<Linking>): Promise<Linking> {
  try {
    return await linking;
  } catch (error) {
    throw new RequestError(409, `Not linked: ${sentence(error)}`);
  }
}

function sentence(error: unknown): string {
  return `${error instanceof Error ? error.message : String(error)}.`;
}
