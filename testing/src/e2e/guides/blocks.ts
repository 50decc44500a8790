// Reads the command blocks of a page: ```sh is a script, ```console shows `$ ` commands and their output. A block that
// cannot run against the demo says why in its first line. Invariant: every command block either runs or carries a
// reason.

export interface Step {
  readonly command: string;
  /** The output that the page shows; empty if it shows none. */
  readonly shown: readonly string[];
}

export interface Block {
  /** Line of its fence, counted from 1. */
  readonly line: number;
  /** `ran-by` names the test or script that runs it instead; `not-run` says what is missing here. */
  readonly reason: { readonly kind: 'ran-by' | 'not-run'; readonly text: string } | null;
  readonly steps: readonly Step[];
}

const FENCE = /^ *```(sh|console)\b(.*)$/;
const REASON = /\b(ran-by|not-run)="([^"]+)"/;

export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split('\n');
  const found: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, language, info = ''] = FENCE.exec(lines[at] ?? '') ?? [];
    if (language === undefined) continue;
    const end = lines.findIndex((line, index) => index > at && /^ *```$/.test(line));
    if (end < 0) throw new Error(`The block in line ${at + 1} does not end.`);
    const content = lines.slice(at + 1, end);
    const steps =
      language === 'sh' ? [{ command: content.join('\n'), shown: [] }] : dialogue(content);
    if (steps.length > 0) found.push({ line: at + 1, reason: reasonOf(info), steps });
    at = end;
  }
  return found;
}

function reasonOf(info: string): Block['reason'] {
  const [, kind, text = ''] = REASON.exec(info) ?? [];
  return kind === 'ran-by' || kind === 'not-run' ? { kind, text } : null;
}

/** Lines before the first `$ ` belong to a command that another block shows. */
function dialogue(lines: readonly string[]): Step[] {
  const steps: { command: string; shown: string[] }[] = [];
  for (const line of lines) {
    const last = steps.at(-1);
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), shown: [] });
    else if (last?.command.endsWith('\\') && last.shown.length === 0) last.command += `\n${line}`;
    else last?.shown.push(line);
  }
  return steps;
}

/** Files that a page tells its reader to write: YAML whose first line names the file, as in `# quote.yaml`. */
export function filesOf(markdown: string): Map<string, string> {
  const found = markdown.matchAll(/^```yaml\n# (\S+\.yaml)\n(.*?)^```$/gms);
  return new Map([...found].map(([, name = '', content = '']) => [name, content]));
}
