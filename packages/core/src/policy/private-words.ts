// Whether a text gives away private words.
export interface PrivateWords {
  readonly privateTexts: readonly string[];
  readonly knownTexts: readonly string[];
  readonly facts: readonly string[];
}

export function quotesPrivate(_text: string, _words: PrivateWords): boolean {
  return false;
}
