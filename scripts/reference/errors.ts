// Generates the reference page of all errors, from the table of errors.
import type { ErrorSpec } from '@relay/contract/errors/spec';
import { escaped } from './words.ts';

const INTRODUCTION = `# Error codes

Made from the table of errors by \`npm run generate\`. Over HTTP a refusal is \`{ "error", "code", "details"? }\`, with \`error\` the sentence below; a command prints the sentence, or with \`--json\` the same object, to standard error. Programs go by the code. What stands in braces is filled in. ↻ marks what may pass if it is tried again later.
`;

export function errorsPage(errors: Readonly<Record<string, ErrorSpec>>): string {
  const byStatus = Map.groupBy(Object.entries(errors), ([, { status }]) => status);
  const parts = [...byStatus]
    .sort(([one], [other]) => one - other)
    .map(([status, rows]) => `## ${status}\n\n${rows.sort(byCode).map(line).join('\n')}\n`);
  return `${INTRODUCTION}\n${parts.join('\n')}`;
}

type Row = readonly [code: string, spec: ErrorSpec];

const byCode = ([one]: Row, [other]: Row): number => (one < other ? -1 : 1);

const line = ([code, { exit, sentence, passes }]: Row): string =>
  `- \`${code}\` (exit code ${exit}${passes === true ? ', ↻' : ''}): ${escaped(sentence)}`;
