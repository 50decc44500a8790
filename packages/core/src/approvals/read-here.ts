// Relay's sentences lead to the approvals; whoever reads one there already is not led anywhere.
export const readHere = (text: string): string =>
  text
    .replace(': `relay approvals`', '')
    .split(/(?<=\.) /)
    .filter((sentence) => !sentence.includes('`relay approvals`'))
    .join(' ');
