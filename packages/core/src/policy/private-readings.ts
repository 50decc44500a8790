// What a text may say besides what it seems to: every reading that a person with ordinary tools would get
// out of it. Alignment is unknown inside a longer text, so each is tried; nonsense costs nothing.
import { squeeze, squeezeBytes } from './squeeze.ts';

export interface Readings {
  /** As it stands. */
  readonly plain: string;
  /** Out of base64, hexadecimal and percent signs. */
  readonly hidden: readonly string[];
}

export function readings(text: string): Readings {
  return {
    plain: squeeze(text),
    hidden: [
      ...fromDigits(text, BASE64, 6),
      ...(/[-_]/.test(text) ? fromDigits(text, BASE64_URL, 6) : []),
      ...fromDigits(text.replace(HEX_MARKS, ''), HEX, 4),
      ...(text.includes('%') ? [squeeze(percentDecoded(text))] : []),
    ],
  };
}

type Alphabet = Readonly<Int8Array>;

function alphabet(...runs: readonly (readonly [characters: string, from: number])[]): Alphabet {
  const values = new Int8Array(128).fill(-1);
  for (const [characters, from] of runs) {
    for (const [at, character] of [...characters].entries()) {
      values[character.charCodeAt(0)] = from + at;
    }
  }
  return values;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const BASE64 = alphabet([LETTERS, 0], ['+/', 62]);
const BASE64_URL = alphabet([LETTERS, 0], ['-_', 62]);
const HEX = alphabet(['0123456789', 0], ['abcdef', 10], ['ABCDEF', 10]);
/** As bytes are written in programs and pages. */
const HEX_MARKS = /\\x|0x|\\u00|&#x|%/gi;

/** The digits of an alphabet in the text, whatever stands between them, read as bytes. */
function fromDigits(text: string, values: Alphabet, bits: 4 | 6): string[] {
  const digits = new Uint8Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const value = values[text.charCodeAt(at)] ?? -1;
    if (value >= 0) digits[length++] = value;
  }
  const alignments = bits === 6 ? [0, 1, 2, 3] : [0, 1];
  return alignments.map((from) => squeezeBytes(toBytes(digits.subarray(from, length), bits)));
}

function toBytes(digits: Uint8Array, bits: number): Uint8Array {
  const bytes = new Uint8Array(Math.floor((digits.length * bits) / 8));
  let [held, holding, length] = [0, 0, 0];
  for (let at = 0; at < digits.length; at++) {
    held = ((held << bits) | (digits[at] ?? 0)) & 0x3fff;
    holding += bits;
    if (holding < 8) continue;
    holding -= 8;
    bytes[length++] = (held >> holding) & 0xff;
  }
  return bytes;
}

function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return '';
    }
  });
}
