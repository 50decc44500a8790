// Merges the types that the compiler emitted for an entry into one file: what the entry exports and what that depends
// on. Invariant: the result refers to no other module.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import ts from 'typescript';

interface Declared {
  readonly text: string;
  /** Every name it mentions, including its own and those of the language. */
  readonly mentions: ReadonlySet<string>;
}

export function bundleTypes(entry: string): string {
  const declared = new Map<string, Declared>();
  const seen = new Set<string>();
  const load = (file: string): readonly string[] => {
    if (seen.has(file)) return [];
    seen.add(file);
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext);
    return source.statements.flatMap((statement) => {
      if (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) {
        for (const other of modulesOf(statement, file)) load(other);
        return namesIn(statement);
      }
      for (const name of namesOf(statement)) {
        if (declared.has(name)) throw new Error(`${name} is declared twice, also in ${file}.`);
        declared.set(name, read(statement, source));
      }
      return [];
    });
  };

  const exported = load(entry);
  const wanted = new Set<string>();
  const want = (name: string) => {
    const found = declared.get(name);
    if (found === undefined || wanted.has(name)) return;
    wanted.add(name);
    found.mentions.forEach(want);
  };
  exported.forEach(want);
  const texts = [...declared].filter(([name]) => wanted.has(name)).map(([, { text }]) => text);
  return `${texts.join('\n')}\nexport { ${[...exported].sort().join(', ')} };\n`;
}

/** The compiler leaves specifiers as they were written. */
function modulesOf(
  { moduleSpecifier: from }: ts.ImportDeclaration | ts.ExportDeclaration,
  file: string,
): readonly string[] {
  if (from === undefined || !ts.isStringLiteral(from)) return [];
  if (!from.text.startsWith('.')) throw new Error(`${file} stands on ${from.text}.`);
  return [resolve(dirname(file), from.text.replace(/\.ts$/, '.d.ts'))];
}

/** The names of an import or export; renaming is not allowed, so that one name means one thing. */
function namesIn(statement: ts.ImportDeclaration | ts.ExportDeclaration): readonly string[] {
  const named = ts.isImportDeclaration(statement)
    ? statement.importClause?.namedBindings
    : statement.exportClause;
  if (named === undefined) return [];
  if (!ts.isNamedImports(named) && !ts.isNamedExports(named)) throw new Error('not by name');
  const elements: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[] = named.elements;
  const renamed = elements.find(({ propertyName }) => propertyName !== undefined);
  if (renamed !== undefined) throw new Error(`${renamed.name.text} is renamed.`);
  return ts.isExportDeclaration(statement) ? elements.map(({ name }) => name.text) : [];
}

function namesOf(statement: ts.Statement): readonly string[] {
  const named = ts.isVariableStatement(statement)
    ? statement.declarationList.declarations
    : [statement as ts.DeclarationStatement];
  return named.flatMap(({ name }) =>
    name !== undefined && ts.isIdentifier(name) ? name.text : [],
  );
}

function read(statement: ts.Statement, source: ts.SourceFile): Declared {
  const mentions = new Set<string>();
  const look = (node: ts.Node) => {
    if (ts.isIdentifier(node)) mentions.add(node.text);
    ts.forEachChild(node, look);
  };
  look(statement);
  const text = source.text.slice(statement.getStart(source, true), statement.end);
  return { text: text.replace(/^export /m, ''), mentions };
}
