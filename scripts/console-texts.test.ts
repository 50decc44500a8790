// The catalogues: complete in every language, with the same values, and used by the console as they must be.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type CompiledMessage, compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import { SEND_RISKS } from '@relay/contract/api/approvals';
import { ERRORS } from '@relay/contract/errors';
import { REASONS } from '@relay/core/policy/reasons';
import { verifies } from '@relay/testing/verifies';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const src = join(import.meta.dirname, '..', 'packages', 'web', 'src');
const read = (path: string): string => readFileSync(join(src, path), 'utf8');
const AREAS = globSync('locales/en/*.json', { cwd: src }).map((path) => basename(path, '.json'));

const catalogue = (locale: string, area: string): Record<string, string> =>
  JSON.parse(read(`locales/${locale}/${area}.json`));

/** The names of the values in a message, and its tags. */
function placeholders(message: string): string[] {
  const found = new Set(Array.from(message.matchAll(/<\/?([a-zA-Z]+)>/g), ([, tag]) => `<${tag}>`));
  const visit = (part: CompiledMessage | CompiledMessage[number]): void => {
    if (!Array.isArray(part)) return;
    for (const token of part) {
      if (!Array.isArray(token)) continue;
      const [name, , cases] = token as [string, string?, Record<string, CompiledMessage>?];
      found.add(name);
      if (typeof cases === 'object') for (const one of Object.values(cases)) visit(one);
    }
  };
  visit(compileMessageOrThrow(message));
  return [...found].toSorted();
}

const LOCALES = globSync('locales/*', { cwd: src }).map((path) => basename(path));

describe.each(LOCALES)('%s', (locale) => {
  test.each(AREAS)('%s has every text, with the values of the English one', (area) => {
    verifies('WORDS-CATALOGUES');
    const [english, translated] = [catalogue('en', area), catalogue(locale, area)];
    expect(Object.keys(translated).toSorted()).toEqual(Object.keys(english).toSorted());
    const differing = Object.entries(translated).filter(
      ([key, text]) =>
        text.trim() === '' ||
        text.includes("'") ||
        placeholders(text).join() !== placeholders(english[key] ?? '').join(),
    );
    expect(differing).toEqual([]);
  });
});

test('no Arabic sentence that ends with a Latin word draws the number after it to itself', () => {
  // Without U+200F at its end, the browser shows both as one run from left to right, and the number comes first.
  const joined = /[A-Za-z][.!?]\}* \{\w+, (plural|number)/;
  const texts = AREAS.flatMap((area) => Object.entries(catalogue('ar', area)));
  expect(texts.filter(([, text]) => joined.test(text))).toEqual([]);
});

interface Use {
  readonly file: string;
  /** The id; `*` stands for a part that is not fixed. */
  readonly id: string;
  readonly isInFunction: boolean;
}

const FILES = globSync('**/*.{ts,tsx}', { cwd: src }).filter((file) => !/\.test\./.test(file));
const ID = new RegExp(`^(${AREAS.join('|')})\\.`);

/** Every text in the source that is the id of a message. */
const USES: readonly Use[] = FILES.flatMap((file) => {
  const uses: Use[] = [];
  const visit = (node: ts.Node, isInFunction: boolean): void => {
    const id = ts.isStringLiteralLike(node)
      ? node.text
      : ts.isTemplateExpression(node)
        ? node.head.text + node.templateSpans.map(({ literal }) => `*${literal.text}`).join('')
        : '';
    const isCalled =
      ts.isCallExpression(node.parent ?? node) &&
      (node.parent as ts.CallExpression).expression.getText() === 't';
    // Some settings have names that begin like the ids of a catalogue.
    const { parent = node } = node;
    const isName = ts.isPropertyAssignment(parent) && parent.name === node;
    if (ID.test(id) && !isName) uses.push({ file, id, isInFunction: isInFunction || !isCalled });
    ts.forEachChild(node, (child) => visit(child, isInFunction || ts.isFunctionLike(node)));
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true), false);
  return uses;
});

test('no module asks for a text before the catalogue is loaded', () => {
  expect(USES.filter(({ isInFunction }) => !isInFunction)).toEqual([]);
});

test('a page uses its own catalogue and the common one', () => {
  const foreign = USES.filter(({ file, id }) => {
    const page =
      file === 'data/relay.ts'
        ? 'errors'
        : file === 'parts/sentences.ts'
          ? 'decisions'
          : (/^pages\/(\w+)\//.exec(file)?.[1] ?? /^parts\/(media)\//.exec(file)?.[1] ?? 'common');
    const [area] = id.split('.');
    // Loaded with the first page, and also the reasons of refused requests.
    const isReason = file === 'data/relay.ts' && area === 'decisions';
    return area !== 'common' && area !== page && !isReason;
  });
  expect(foreign).toEqual([]);
});

test('every text is used', () => {
  const fixed = new Set(USES.map(({ id }) => id));
  const patterns = USES.filter(({ id }) => id.includes('*')).map(
    ({ id }) => new RegExp(`^${id.replaceAll('.', '[.]').replaceAll('*', '.+')}$`),
  );
  const ids = AREAS.flatMap((area) =>
    Object.keys(catalogue('en', area)).map((key) => `${area}.${key}`),
  );
  const unused = ids.filter((id) => !fixed.has(id) && !patterns.some((one) => one.test(id)));
  expect(unused).toEqual([]);
});

test('errors and risks in the catalogues have codes that the daemon uses', () => {
  const codes = Object.keys(catalogue('en', 'errors')).map((key) => key.replace(/\.action$/, ''));
  const known = new Set([
    ...Object.keys(ERRORS),
    ...Object.keys(REASONS).map((reason) => `refused.${reason}`),
  ]);
  expect(codes.filter((code) => !known.has(code))).toEqual([]);
  const risks = Object.keys(catalogue('en', 'common')).filter((key) => key.startsWith('risk.'));
  const expected = [...SEND_RISKS, 'title', 'safer'].map((code) => `risk.${code}`);
  expect(risks.toSorted()).toEqual(expected.toSorted());
});
