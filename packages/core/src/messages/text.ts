// Text that a stranger chose, made fit for a text column. PostgreSQL holds neither NUL nor half a
// surrogate pair; both become U+FFFD, and the bytes as they came stay in the message's content.

export const storable = (text: string): string =>
  text.isWellFormed() && !text.includes('\0')
    ? text
    : text.toWellFormed().replaceAll('\0', '\uFFFD');
