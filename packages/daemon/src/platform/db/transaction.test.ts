import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const source = join(import.meta.dirname, '../..');
const files = globSync('**/*.ts', { cwd: source })
  .filter((name) => !name.endsWith('.test.ts') && !name.includes('testing/'))
  .sort()
  .map((name) =>
    ts.createSourceFile(name, readFileSync(join(source, name), 'utf8'), ts.ScriptTarget.Latest),
  );

/** Files that write with single statements outside `transaction`, each with the reason why that is safe. */
const SINGLE_STATEMENTS: Readonly<Record<string, string>> = {
  'features/accounts/settings.ts': 'settings that any process may change, whoever holds the lease',
  'features/accounts/sql.ts': 'accounts themselves, before and after there is a lease',
  'features/retention/scour.ts': 'statistics of the server, which belong to no account',
  'features/search/vectors/pgvector.ts': 'vectors can be rebuilt from the messages at any time',
  'features/search/vectors/sql.ts': 'vectors can be rebuilt from the messages at any time',
  'platform/db/account.ts': 'the account and the daemon’s start, before there is a lease',
  'platform/db/lease.ts': 'the lease itself',
  'platform/db/ledger-chain.ts': 'a signed note of how far the ledger was checked',
  'platform/db/observer/runs.ts': 'a count that is shown and decides nothing',
  'platform/db/owners.ts': 'people, who are of no account',
  'platform/db/prune.ts': 'rows past their time, of every account',
  'platform/db/restart-report.ts': 'that this daemon is alive, whatever it holds',
  'platform/db/runs.ts': 'the statement holds the lease itself',
  'platform/db/sign-in.ts': 'login codes and sessions are good under any lease',
  'platform/db/tokens.ts': 'when a token was last used',
  'platform/db/worker-requests.ts': 'what is asked of another process, gone within seconds',
  'platform/db/workers.ts': 'processes that ended long ago, of no account',
  'platform/jobs/jobs.ts': 'jobs of a worker that is gone become ready again',
};

const WRITING_METHODS = ['insertInto', 'updateTable', 'deleteFrom', 'mergeInto'];
const WRITING_SQL =
  /\b(INSERT INTO|DELETE FROM|TRUNCATE|MERGE INTO|UPDATE (?!SKIP|OF\b|NOWAIT)\S+)/;
const LOCKING_SQL = /\bFOR (NO KEY )?UPDATE\b|\bDO UPDATE\b/g;

/** `tx` or `work.tx`, also at the beginning of a longer statement. */
const isTransactionName = (text: string): boolean => /^(\w+\.)?tx\b/.test(text);

/** The executed statement: `sql` with its text, or null for anything else. */
function rawSqlOf(node: ts.Expression, file: ts.SourceFile): string | null {
  if (!ts.isTaggedTemplateExpression(node) || node.tag.getText(file) !== 'sql') return null;
  return node.template.getText(file).replaceAll(LOCKING_SQL, '');
}

/** Whether this call writes to the database outside a transaction. */
function writesOutside(call: ts.CallExpression, file: ts.SourceFile): boolean {
  if (!ts.isPropertyAccessExpression(call.expression)) return false;
  const { name, expression } = call.expression;
  if (WRITING_METHODS.includes(name.text)) return !isTransactionName(expression.getText(file));
  if (name.text !== 'execute') return false;
  const text = rawSqlOf(expression, file);
  const target = call.arguments[0]?.getText(file) ?? '';
  return text !== null && WRITING_SQL.test(text) && !isTransactionName(target);
}

/** The files with a matching call. */
function filesThatCall(
  matches: (call: ts.CallExpression, file: ts.SourceFile) => boolean,
): readonly string[] {
  const has = (file: ts.SourceFile) => {
    const visit = (node: ts.Node): boolean =>
      (ts.isCallExpression(node) && matches(node, file)) || (ts.forEachChild(node, visit) ?? false);
    return visit(file);
  };
  return files.filter(has).map(({ fileName }) => fileName);
}

/** The lease itself, and the database in which an older archive is upgraded, which no daemon holds. */
/** Of several accounts or of none: there is no lease to hold. */
const OTHER_TRANSACTIONS = [
  'compose.ts',
  'features/accounts/sql.ts',
  'features/backup/import.ts',
  'platform/db/lease.ts',
];

test('transactions are begun in one place, except for the listed files', () => {
  const begins = ({ expression }: ts.CallExpression) =>
    ts.isPropertyAccessExpression(expression) &&
    ['transaction', 'startTransaction'].includes(expression.name.text);
  expect(filesThatCall(begins)).toEqual([...OTHER_TRANSACTIONS, 'platform/db/transaction.ts']);
});

test('every write runs in a transaction, except for the listed single statements', () => {
  expect(filesThatCall(writesOutside)).toEqual(Object.keys(SINGLE_STATEMENTS));
});
