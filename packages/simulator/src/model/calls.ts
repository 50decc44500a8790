// Every request to `/v1`, as it came: what a test looks at to see what was sent to the model.
// Invariant: holds a bounded number of requests and bytes; the oldest go first, and are counted.

export interface Call {
  /** ISO 8601. */
  at: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  /** The parsed body; the text itself where it is no JSON; null where there is none. */
  body: unknown;
}

const MAX_CALLS = 2000;
const MAX_BYTES = 64 * 1024 * 1024;

export interface CallLog {
  add(call: Call, bytes: number): void;
  all(): Call[];
  dropped(): number;
  clear(): void;
}

export function createCallLog(maxCalls = MAX_CALLS, maxBytes = MAX_BYTES): CallLog {
  let kept: { call: Call; bytes: number }[] = [];
  let total = 0;
  let dropped = 0;
  return {
    add(call, bytes) {
      kept.push({ call, bytes });
      total += bytes;
      while (kept.length > maxCalls || total > maxBytes) {
        total -= kept.shift()?.bytes ?? 0;
        dropped += 1;
      }
    },
    all: () => kept.map(({ call }) => call),
    dropped: () => dropped,
    clear() {
      kept = [];
      total = 0;
      dropped = 0;
    },
  };
}
