// Reads what this process exchanges with PostgreSQL from its sockets, by version 3 of the protocol. It does not depend
// on the library, or on whether it is bundled.
const PROTOCOL_3 = 0x0003_0000;
const QUERY = 'Q';
const PARSE = 'P';
const BIND = 'B';
const ERROR = 'E';
const READY = 'Z';

export interface Dialogue {
  /** The statements that these bytes execute, in order. */
  asks(bytes: Buffer): string[];
  /** Whether the request is answered by now, and how. */
  hears(bytes: Buffer): 'done' | 'failed' | null;
}

/** Whether this is a startup message of PostgreSQL: its length and the version. */
export const isGreeting = (bytes: Buffer): boolean =>
  bytes.length > 8 &&
  bytes.readUInt32BE(0) === bytes.length &&
  bytes.readUInt32BE(4) === PROTOCOL_3;

/** Starts after the startup message. */
export function dialogue(): Dialogue {
  const prepared = new Map<string, string>();
  const [said, heard] = [frames(), frames()];
  let isFailed = false;
  return {
    asks(bytes) {
      const statements: string[] = [];
      for (const { kind, body } of said(bytes)) {
        if (kind === QUERY) statements.push(texts(body, 1)[0] ?? '');
        if (kind === PARSE) {
          const [name = '', sql = ''] = texts(body, 2);
          prepared.set(name, sql);
        }
        if (kind === BIND) statements.push(prepared.get(texts(body, 2)[1] ?? '') ?? '');
      }
      return statements;
    },
    hears(bytes) {
      let answer: 'done' | 'failed' | null = null;
      for (const { kind } of heard(bytes)) {
        if (kind === ERROR) isFailed = true;
        if (kind !== READY) continue;
        answer = isFailed ? 'failed' : 'done';
        isFailed = false;
      }
      return answer;
    },
  };
}

interface Frame {
  readonly kind: string;
  readonly body: Buffer;
}

/** Each frame is a letter, its length and its body; one may come in several pieces. */
function frames(): (bytes: Buffer) => Generator<Frame> {
  let rest: Buffer = Buffer.alloc(0);
  return function* (bytes) {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    while (rest.length >= 5) {
      const end = 1 + rest.readUInt32BE(1);
      if (rest.length < end) return;
      const frame = { kind: String.fromCharCode(rest[0] ?? 0), body: rest.subarray(5, end) };
      rest = rest.subarray(end);
      yield frame;
    }
  };
}

/** The first `count` strings of a body, each zero-terminated. */
function texts(body: Buffer, count: number): string[] {
  const found: string[] = [];
  for (let from = 0; found.length < count && from < body.length; ) {
    const end = body.indexOf(0, from);
    if (end === -1) break;
    found.push(body.toString('utf8', from, end));
    from = end + 1;
  }
  return found;
}
