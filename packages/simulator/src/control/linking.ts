// Links a companion to a simulated phone, by QR code or by pairing code. Invariant: input that is not a code is a bad
// request; a code that links nobody is a conflict.

import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { RequestError } from '../http.ts';
import { readQr } from '../whatsapp/pairing.ts';
import type { LinkingResult, SimulatedAccount } from '../whatsapp/people/account.ts';

export async function scanQr(account: SimulatedAccount, picture: string): Promise<LinkingResult> {
  const text = readQrPicture(picture);
  try {
    readQr(text);
  } catch (error) {
    throw new RequestError(400, `qr: ${sentence(error)}`);
  }
  return orConflict(account.scan(text));
}

export function typePairingCode(account: SimulatedAccount, code: string): Promise<LinkingResult> {
  return orConflict(account.pairCode(code));
}

async function orConflict(linking: Promise<LinkingResult>): Promise<LinkingResult> {
  try {
    return await linking;
  } catch (error) {
    throw new RequestError(409, `Not linked: ${sentence(error)}`);
  }
}

function sentence(error: unknown): string {
  return `${error instanceof Error ? error.message : String(error)}.`;
}

// Reads a QR code from its text or from a picture. Invariant: a picture is decoded only after its header stated a
// bounded size.

const PNG_URL = /^data:image\/png;base64,([A-Za-z0-9+/]+={0,2})$/;
const MAX_PIXELS = 16_000_000;
/** Signature, then length and name of the first chunk, then width and height. */
const HEADER = 24;
const [WIDTH_AT, HEIGHT_AT] = [16, 20];

/** The text of a QR code, given as that text or as a PNG data URL. */
export function readQrPicture(camera: string): string {
  if (!camera.startsWith('data:')) return camera;
  const [, base64] = PNG_URL.exec(camera) ?? [];
  if (!base64) throw new RequestError(400, 'qr: a picture is a PNG data URL in base64.');
  const { data, height, width } = decodePng(Buffer.from(base64, 'base64'));
  const found = jsqr.default(new Uint8ClampedArray(data), width, height);
  if (!found) throw new RequestError(400, 'qr: there is no QR code in this picture.');
  return found.data;
}

function decodePng(file: Buffer): PNG {
  if (file.length < HEADER) throw new RequestError(400, 'qr: this is no PNG.');
  const pixels = file.readUInt32BE(WIDTH_AT) * file.readUInt32BE(HEIGHT_AT);
  if (pixels > MAX_PIXELS) throw new RequestError(400, 'qr: this picture is too large.');
  try {
    return PNG.sync.read(file);
  } catch {
    throw new RequestError(400, 'qr: this is no PNG.');
  }
}
