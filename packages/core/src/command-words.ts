// Splits a command into words without a shell.

/** Quotes group words; nothing else has a meaning. Null if a quote is not closed, or if there is no word. */
export function splitCommand(text: string): string[] | null {
  const word = /(?:[^\s"']|"[^"]*"|'[^']*')+/g;
  if (text.replace(word, '').trim() !== '') return null;
  const words = text.match(word) ?? [];
  if (words.length === 0) return null;
  return words.map((one) =>
    one.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
      String(double ?? single),
    ),
  );
}
