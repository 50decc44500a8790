// A connection cut into lines at the byte that ends one, and at no other: U+2028 is a letter of a message
// here, where node:readline would end a line. A line longer than the limit ends the connection.
import type { Duplex } from 'node:stream';

const NEWLINE = 10;

export function eachLine(
  connection: Duplex,
  mostBytes: number,
  take: (line: string) => void,
): void {
  let begun: Buffer[] = [];
  let size = 0;
  const finish = (last: Buffer) => {
    const line = Buffer.concat([...begun, last])
      .toString('utf8')
      .trim();
    begun = [];
    size = 0;
    if (line !== '') take(line);
  };
  connection.on('data', (part: Buffer) => {
    let from = 0;
    for (let to = part.indexOf(NEWLINE); to !== -1; to = part.indexOf(NEWLINE, from)) {
      finish(part.subarray(from, to));
      from = to + 1;
    }
    const rest = part.subarray(from);
    size += rest.length;
    if (size > mostBytes) connection.destroy();
    else if (rest.length > 0) begun.push(rest);
  });
  // `echo -n` ends no line, and means one.
  connection.on('end', () => finish(Buffer.alloc(0)));
}
