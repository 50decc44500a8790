// Where a person may be found, as `columns.ts` says: what must be empty of them afterwards, and written anew.
import { COLUMNS, type TableColumns } from './columns.ts';

const PERSONAL = ['words', 'who', 'sealed'] as const;

/** Columns in which a person may be found, and which therefore must be empty of them afterwards. */
export const personalColumns = (table: TableColumns): string[] =>
  table.goes.startsWith('stays') ? [] : PERSONAL.flatMap((kind) => namesIn(table[kind]));

export const namesIn = (names: string | undefined): string[] => names?.split(' ') ?? [];

export const PERSONAL_TABLES: readonly string[] = Object.entries(COLUMNS)
  .filter(([, table]) => personalColumns(table).length > 0)
  .map(([name]) => name);
