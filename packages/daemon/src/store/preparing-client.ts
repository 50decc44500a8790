// A connection that has the server plan each statement once: half of a short statement's time is parsing and
// planning. Names are the process's own, so every connection knows a statement by the same one.
import pg from 'pg';

/** Texts that vary without end (lists of rows) must not fill the server's memory. */
const MOST = 300;
const names = new Map<string, string>();

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MOST) return known;
  const name = `relay_${names.size}`;
  names.set(text, name);
  return name;
}

type Query = (...args: unknown[]) => unknown;

export class PreparingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const query: Query = this.query.bind(this) as Query;
    // Assigned, not overridden: the driver's many signatures come down to these two forms.
    this.query = ((text: unknown, values: unknown, callback: unknown) => {
      // Without values it may be several statements at once, which cannot be prepared.
      const single = typeof text === 'string' && Array.isArray(values) && values.length > 0;
      const name = single ? nameOf(text) : undefined;
      return name === undefined
        ? query(text, values, callback)
        : query({ name, text, values }, callback);
    }) as typeof this.query;
  }
}
