// What the camera of a phone sees: the text of a QR code, or a picture that holds one.
// Invariant: a picture is decoded only after its header promised a bounded size.
import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { RequestError } from '../http.ts';

const PNG_URL = /^data:image\/png;base64,([A-Za-z0-9+/]+={0,2})$/;
const MAX_PIXELS = 16_000_000;
/** Signature, then the length and name of the first chunk, then width and height. */
const HEADER = 24;
const [WIDTH_AT, HEIGHT_AT] = [16, 20];

/** The text of a QR code that is given as its text or as a PNG data URL. */
export function seenBy(camera: string): string {
  if (!camera.startsWith('data:')) return camera;
  const [, base64] = PNG_URL.exec(camera) ?? [];
  if (!base64) throw new RequestError(400, 'qr: a picture is a PNG data URL in base64.');
  const { data, height, width } = decode(Buffer.from(base64, 'base64'));
  const found = jsqr.default(new Uint8ClampedArray(data), width, height);
  if (!found) throw new RequestError(400, 'qr: there is no QR code in this picture.');
  return found.data;
}

function decode(file: Buffer): PNG {
  if (file.length < HEADER) throw new RequestError(400, 'qr: this is no PNG.');
  const pixels = file.readUInt32BE(WIDTH_AT) * file.readUInt32BE(HEIGHT_AT);
  if (pixels > MAX_PIXELS) throw new RequestError(400, 'qr: this picture is too large.');
  try {
    return PNG.sync.read(file);
  } catch {
    throw new RequestError(400, 'qr: this is no PNG.');
  }
}
