// Whether a text calls somebody by name. Pure; knows nothing of any particular name.

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The name stands in the text as a whole word, in any case. */
export function calls(text: string, name: string): boolean {
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(name)}(?![\\p{L}\\p{N}_])`, 'iu').test(text);
}
