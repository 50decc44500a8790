// Reads conversation templates: YAML with {{name}} placeholders in its texts. Values are inserted after the YAML is
// parsed, so they can only be text. Pure.
import { LineCounter, type Node, type Pair, parseDocument, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { type InputText, inputError } from './input.ts';

export interface ConversationTemplateFile {
  readonly objective?: InputText;
  readonly contact?: InputText;
  readonly todos?: readonly InputText[];
  readonly facts?: readonly InputText[];
  readonly heartbeat?: InputText;
  readonly max_followups?: InputText;
}

const TEXTS = ['objective', 'contact', 'heartbeat', 'max_followups'] as const;
const LISTS = ['todos', 'facts'] as const;
const KEYS: readonly string[] = ['objective', 'contact', 'todos', 'facts', ...TEXTS.slice(2)];
const PLACEHOLDER = /\{\{\s*([\w-]+)\s*\}\}/g;

export function readTemplate(text: string, file: string): ConversationTemplateFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => `${file}, line ${Math.max(1, lines.linePos(offset).line)}`;
  const [fault] = document.errors;
  if (fault !== undefined) throw inputError(at(fault.pos[0]), sentence(fault.message));
  const where = (node: Node | null) => at(node?.range?.[0] ?? 0);
  const root = document.contents;
  if (!(root instanceof YAMLMap)) {
    throw inputError(where(root), `a template needs keys and values: ${KEYS.join(', ')}.`);
  }
  return Object.fromEntries(root.items.map((item) => entry(item, where)));
}

type Where = (node: Node | null) => string;

function entry(item: Pair<unknown, unknown>, where: Where): [string, InputText | InputText[]] {
  const key = item.key instanceof Scalar ? String(item.key.value) : '';
  const place = where(item.key as Node | null);
  if (LISTS.some((name) => name === key)) return [key, list(key, item.value, place, where)];
  if (TEXTS.some((name) => name === key)) return [key, scalar(key, item.value, place, where)];
  throw inputError(place, `\`${key}\` is not a template key. Use ${KEYS.join(', ')}.`);
}

function list(key: string, value: unknown, place: string, where: Where): InputText[] {
  if (value instanceof Scalar && value.value === null) return [];
  if (!(value instanceof YAMLSeq)) throw inputError(place, `\`${key}\` must be a list of texts.`);
  return value.items.map((one) => scalar(key, one, place, where));
}

function scalar(key: string, value: unknown, place: string, where: Where): InputText {
  if (value instanceof Scalar && value.value !== null) {
    // A number such as +49170… keeps its original spelling.
    const text = typeof value.value === 'string' ? value.value : value.source;
    return { text: text ?? String(value.value), source: where(value) };
  }
  const braces = value instanceof YAMLMap && value.flow === true;
  throw inputError(
    value instanceof Scalar || value instanceof YAMLMap ? where(value) : place,
    braces ? `put quotes around a text that starts with {{ or {.` : `\`${key}\` needs a text here.`,
  );
}

/** The first line of the YAML parser's message, as a sentence. */
function sentence(message: string): string {
  const line = message.split('\n')[0]?.trim() ?? '';
  return /[.!?]$/.test(line) ? line : `${line}.`;
}

export function placeholders(template: ConversationTemplateFile): Set<string> {
  const texts = Object.values(template).flat() as InputText[];
  return new Set(texts.flatMap(({ text }) => Array.from(text.matchAll(PLACEHOLDER), named)));
}

const named = ([, name = '']: RegExpMatchArray): string => name;

export function fill(given: InputText, values: ReadonlyMap<string, string>): InputText {
  const text = given.text.replace(PLACEHOLDER, (_whole, name: string) => {
    const value = values.get(name);
    if (value !== undefined) return value;
    throw inputError(given.source, `{{${name}}} has no value. Give one with \`--set ${name}=…\`.`);
  });
  return { ...given, text };
}
