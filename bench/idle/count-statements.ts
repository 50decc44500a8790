// Preload (`node --import`) that counts the statements which a daemon sends, by text. It writes the counts to the file
// named by COUNT_STATEMENTS on SIGUSR2.
import { renameSync, writeFileSync } from 'node:fs';
import pg from 'pg';

const counts = new Map<string, number>();
const original = pg.Client.prototype.query;
pg.Client.prototype.query = function query(this: pg.Client, ...args: unknown[]) {
  const [asked] = args as [string | { text?: string }];
  const text = typeof asked === 'string' ? asked : (asked.text ?? '');
  const key = text.replaceAll(/\s+/g, ' ').slice(0, 120);
  counts.set(key, (counts.get(key) ?? 0) + 1);
  return Reflect.apply(original, this, args);
} as typeof original;

process.on('SIGUSR2', () => {
  const file = process.env.COUNT_STATEMENTS;
  if (file === undefined) return;
  writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(counts)));
  renameSync(`${file}.new`, file);
});
