// The first letters of the first and the last word of a name. Pure. A number has none.

const LETTER = /\p{L}/u;

export function initialsOf(name: string): string {
  const words = name.split(/\s+/).flatMap((word) => LETTER.exec(word)?.[0] ?? []);
  const [first = '', ...more] = words;
  return `${first}${more.at(-1) ?? ''}`.toUpperCase();
}
