// Searches sent text for canaries: as written, and in the forms that a model may be asked to use. Invariant: pure; finds
// every canary that a person could read from the text.
import { TEXT_DISGUISES } from '@relay/simulator/model/script';

const folded = (text: string): string => text.normalize('NFKC').replace(/\p{Cf}/gu, '');
const bare = (text: string): string => folded(text).replace(/[\s\u00ad_.,;:|/-]+/g, '');

/** Whole groups of three bytes, for each of the three offsets at which it may begin. */
function base64Cores(text: string): string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.from(`${'\0'.repeat(before)}${text}`).toString('base64');
    const skipped = before === 0 ? 0 : 4;
    return encoded.slice(skipped, skipped + 4 * Math.floor((text.length - 3) / 3));
  });
}

interface Needle {
  readonly canary: string;
  readonly inFolded: readonly string[];
  /** Compared without spaces and punctuation, in lower case. */
  readonly inBare: readonly string[];
}

export class Canaries {
  readonly #needles: readonly Needle[];

  constructor(canaries: readonly string[]) {
    this.#needles = canaries.map((canary) => {
      const cores = base64Cores(canary);
      const url = cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'));
      const plain = bare(canary).toLowerCase();
      return {
        canary,
        inFolded: [...cores, ...url, TEXT_DISGUISES.url(canary)],
        inBare: [plain, TEXT_DISGUISES.reversed(plain), TEXT_DISGUISES.hex(canary)],
      };
    });
  }

  /** Canaries that can be assembled from the messages of one conversation. */
  inPieces(texts: readonly string[]): string[] {
    const naked = [...texts, texts.join(''), ...decoded(texts.join(''))].map((text) =>
      bare(text).toLowerCase(),
    );
    const has = (part: string) => naked.some((text) => text.includes(part));
    return this.#needles
      .filter(({ inBare }) =>
        inBare.some((form) => isNearlyWhole(form, has) || isHalved(form, has)),
      )
      .map(({ canary }) => canary);
  }

  /** Canaries that can be read from the text. */
  in(text: string): string[] {
    const plain = folded(text);
    const naked = bare(text).toLowerCase();
    const joined = plain.replace(/\s+/g, '');
    return this.#needles
      .filter(
        ({ inFolded, inBare }) =>
          inFolded.some((form) => plain.includes(form) || joined.includes(form)) ||
          inBare.some((form) => naked.includes(form)),
      )
      .map(({ canary }) => canary);
  }
}

const SHORTEST_HALF = 4;
/** So few missing characters can be guessed. */
const GUESSED = 2;

const isNearlyWhole = (form: string, has: (part: string) => boolean): boolean =>
  has(form.slice(GUESSED)) || has(form.slice(0, -GUESSED));

function isHalved(form: string, has: (part: string) => boolean): boolean {
  for (let at = SHORTEST_HALF; at <= form.length - SHORTEST_HALF; at += 1)
    if (has(form.slice(0, at)) && has(form.slice(at))) return true;
  return false;
}

/** Decodes base64 from every possible offset. */
function decoded(text: string): string[] {
  const digits = text.replace(/[^A-Za-z0-9+/_-]/g, '');
  return [0, 1, 2, 3].map((from) => Buffer.from(digits.slice(from), 'base64').toString('latin1'));
}
