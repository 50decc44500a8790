// A sentence of Relay's: commands stand between backticks in all of them.

export function Sentence({ text }: { readonly text: string }) {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>));
}
