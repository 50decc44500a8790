// `relay create`: creates a conversation and prints only its id on standard output; --wait follows it live to its end,
// and with --result prints only the result.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CONVERSATION_LIMITS } from '@relay/contract/api/constants';
import type { ConversationInstance } from '@relay/contract/api/instances';
import { RelayApiError } from '@relay/contract/client/api-error';
import { isTerminal } from '@relay/contract/conversation/states';
import { RelayError } from '@relay/contract/errors';
import { phoneAlias } from '@relay/core/contacts/alias';
import { clientOf } from '../../api.ts';
import type { CommandOptions } from '../../command.ts';
import { formatPhone, parseDuration, toOneLine } from '../../format.ts';
import type { Terminal } from '../../terminal.ts';
import { resolveContact } from '../contacts.ts';
import { withReminder } from './conversations.ts';
import {
  describeOutcome,
  formatResult,
  needsOwner,
  outcomeExitCode,
  resultExitCode,
} from './format.ts';
import {
  type InputText,
  inputError,
  parseFollowupLimit,
  parseInterval,
  parseText,
  parseTexts,
  shortConversationId,
} from './input.ts';
import type { ConversationTemplateFile } from './template.ts';
import { ConversationView, followConversation } from './transcript.ts';

const INTERRUPTED = 130;
const TIMED_OUT = 14;

export const createConversationCommand = withReminder(async ({ config, terminal, options }) => {
  const request = await buildConversationRequest(options);
  const deadline = deadlineOf(options);
  const asking = { mayAsk: !terminal.json };
  const target_contact = await findNumber(config.home, request.target_contact, asking);
  const body = { ...request, target_contact };
  const created = await createOnce(config.home, body, options.key);
  const { id, state } = created;
  if (options.wait === true && request.result_schema !== undefined)
    return waitForResult(config.home, terminal, id, deadline);
  if (terminal.json) terminal.writeJson(created);
  else terminal.writeLine(id);
  if (options.wait === true) return followCreated(config.home, terminal, id, deadline);
  const contact = formatPhone(body.target_contact);
  terminal.note(
    state === 'QUEUED'
      ? `Queued: another conversation with ${contact} is open, and this one starts when it ends. See \`relay get ${shortConversationId(id)}\`.`
      : `The agent will write to ${contact}. Follow it with \`relay transcript ${shortConversationId(id)} -f\`.`,
  );
  return 0;
});

/** Digits that are not a whole number, and addresses of WhatsApp. */
const NO_NAME = /^[+\d][\d\s().-]*$|@/;

/** A number as it is; a name only if it means exactly one person, whom a terminal may be asked to pick. */
async function findNumber(
  home: string,
  given: string,
  asking: { readonly mayAsk: boolean },
): Promise<string> {
  if (phoneAlias(given) !== null) return given;
  if (NO_NAME.test(given)) {
    throw inputError('--contact', 'give a number in international form, such as +491701234567.');
  }
  const meant = await resolveContact(clientOf(home), given, 'person', asking);
  if ('phoneNumber' in meant) return meant.phoneNumber;
  const digits = 'known' in meant ? meant.known.phone_number : null;
  if (digits === null) throw new RelayError('contact_unnumbered', { who: toOneLine(given) });
  return `+${digits}`;
}

/** Sends an idempotency key, so that a retry after a lost response creates no second conversation. */
async function createOnce(home: string, body: NewConversationRequest, given: unknown) {
  const key = typeof given === 'string' ? given : randomUUID();
  const ask = () =>
    clientOf(home).post('/api/instances', { body, header: { 'idempotency-key': key } });
  return ask().catch((error: unknown) => {
    if (error instanceof RelayApiError) throw error;
    return ask();
  });
}

/** The time at which `--timeout` ends the wait; never without it. */
function deadlineOf(options: CommandOptions): number {
  const timeout = flag(options, '--timeout');
  if (timeout === undefined) return Number.POSITIVE_INFINITY;
  if (options.wait !== true) throw inputError('--timeout', 'give it with --wait.');
  const ms = parseDuration(timeout.text);
  if (ms === null) throw inputError('--timeout', 'give a time such as 90s, 30m, 2h or 1d.');
  return Date.now() + ms;
}

/** Prints only the result, or with --json the conversation. */
async function waitForResult(
  home: string,
  terminal: Terminal,
  id: string,
  deadline: number,
): Promise<number> {
  const short = shortConversationId(id);
  terminal.notice(`Conversation ${short}. Interrupting the wait does not end it.`);
  let last: ConversationInstance | null = null;
  let shown = '';
  for await (const { instance } of followConversation(home, id)) {
    last = instance;
    const outcome = describeOutcome(instance, terminal.colours);
    if (outcome !== shown) terminal.notice(outcome);
    shown = outcome;
    if (isTerminal(instance.state) || needsOwner(instance)) break;
    if (Date.now() < deadline) continue;
    terminal.notice(`The conversation continues. See it with \`relay get ${short}\`.`);
    if (terminal.json) terminal.writeJson(instance);
    return TIMED_OUT;
  }
  if (last === null) throw new RelayError('instance_not_found', { id });
  if (terminal.json) terminal.writeJson(last);
  else if (last.result_status === 'valid') terminal.writeLine(formatResult(last));
  else if (last.result_reason) terminal.notice(toOneLine(last.result_reason));
  return resultExitCode(last);
}

async function followCreated(
  home: string,
  terminal: Terminal,
  id: string,
  deadline: number,
): Promise<number> {
  const view = new ConversationView(terminal);
  // Ctrl-C ends the watching, not the conversation.
  const leave = () => {
    view.end();
    terminal.note(
      `The conversation continues. Follow it again with \`relay transcript ${shortConversationId(id)} -f\`.`,
    );
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', leave);
  try {
    let last: ConversationInstance | null = null;
    let shown = '';
    for await (const { instance, lines } of followConversation(home, id)) {
      if (!terminal.json) view.show({ instance, lines });
      else {
        for (const message of lines) terminal.writeJson({ message });
        if (shown !== JSON.stringify(instance)) terminal.writeJson({ instance });
        shown = JSON.stringify(instance);
      }
      last = instance;
      if (needsOwner(instance)) break;
      if (Date.now() >= deadline && !isTerminal(instance.state)) {
        view.end();
        return TIMED_OUT;
      }
    }
    view.end();
    if (last === null) return 0;
    if (!terminal.json) terminal.writeLine(describeOutcome(last, terminal.colours));
    return outcomeExitCode(last);
  } finally {
    process.off('SIGINT', leave);
  }
}

// Builds the request from the options and the template. Every mistake that can be detected locally is reported here,
// before any request.

const EXAMPLE =
  'relay create --objective "Get a quote" --contact +491701234567 --todos "Ask for the price"';

interface NewConversationRequest {
  objective: string;
  target_contact: string;
  todos: { text: string }[];
  facts?: string[];
  heartbeat_config?: { interval_ms?: number; max_followups?: number };
  result_schema?: Record<string, unknown>;
}

async function buildConversationRequest(options: CommandOptions): Promise<NewConversationRequest> {
  const template = await templateOf(options);
  const objective = flag(options, '--objective') ?? template.objective;
  const contact = flag(options, '--contact') ?? template.contact;
  const missing = [
    ...(objective === undefined ? ['--objective'] : []),
    ...(contact === undefined ? ['--contact'] : []),
  ];
  if (objective === undefined || contact === undefined) {
    throw new RelayError('usage', {
      what: `Missing: ${missing.join(' and ')}. For example: \`${EXAMPLE}\`.`,
    });
  }
  const todos = stepsOf(options) ?? template.todos ?? [];
  const facts = flags(options, '--fact') ?? template.facts ?? [];
  const heartbeat = flag(options, '--heartbeat') ?? template.heartbeat;
  const followups = flag(options, '--max-followups') ?? template.max_followups;
  const result = flag(options, '--result');
  return {
    objective: parseText(objective, CONVERSATION_LIMITS.objective),
    target_contact: parseText(contact, CONVERSATION_LIMITS.contact),
    todos: parseTexts(todos, CONVERSATION_LIMITS.todos, CONVERSATION_LIMITS.todo).map((text) => ({
      text,
    })),
    ...(facts.length === 0
      ? {}
      : { facts: parseTexts(facts, CONVERSATION_LIMITS.facts, CONVERSATION_LIMITS.fact) }),
    ...(heartbeat === undefined && followups === undefined
      ? {}
      : {
          heartbeat_config: {
            ...(heartbeat === undefined ? {} : { interval_ms: parseInterval(heartbeat) }),
            ...(followups === undefined ? {} : { max_followups: parseFollowupLimit(followups) }),
          },
        }),
    ...(result === undefined ? {} : { result_schema: await readResultSchema(result) }),
  };
}

async function readResultSchema({ text, source }: InputText): Promise<Record<string, unknown>> {
  const { findSchemaProblem, formatProblem } = await import('@relay/contract/conversation/result');
  const schema = parseJson(read(text, source), `${source} ${text}`);
  const problem = findSchemaProblem(schema);
  if (problem !== null) throw inputError(`${source} ${text}`, `${formatProblem(problem)}.`);
  return schema as Record<string, unknown>;
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw inputError(source, 'it is not valid JSON.');
  }
}

type Flag = `--${string}`;

/** The parser calls `--max-followups` `maxFollowups`. */
const nameOf = (name: Flag): string =>
  name.slice(2).replace(/-(\w)/g, (_whole, letter: string) => letter.toUpperCase());

function flag(options: CommandOptions, name: Flag): InputText | undefined {
  const value = options[nameOf(name)];
  return typeof value === 'string' ? { text: value, source: name } : undefined;
}

function flags(options: CommandOptions, name: Flag): InputText[] | undefined {
  const values = options[nameOf(name)];
  if (!Array.isArray(values)) return undefined;
  return values.map((text: string) => ({ text, source: name }));
}

function stepsOf(options: CommandOptions): InputText[] | undefined {
  const given = flags(options, '--todos');
  const file = flag(options, '--todos-file');
  if (given === undefined && file === undefined) return undefined;
  const steps = (given ?? []).flatMap((one) =>
    one.text.startsWith('@') ? linesOf(one.text.slice(1), one.source) : [one],
  );
  return [...steps, ...(file === undefined ? [] : linesOf(file.text, file.source))];
}

function linesOf(file: string, source: string): InputText[] {
  return read(file, source)
    .split('\n')
    .map((text, index) => ({ text: text.trim(), source: `${file}, line ${index + 1}` }))
    .filter(({ text }) => text !== '');
}

function read(file: string, source: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    throw inputError(source, `${file} cannot be read.`);
  }
}

async function templateOf(options: CommandOptions): Promise<ConversationTemplateFile> {
  const file = flag(options, '--template');
  const values = valuesOf(flags(options, '--set') ?? []);
  if (file === undefined) {
    if (values.size === 0) return {};
    throw inputError('--set', 'it needs a template; give one with `--template`.');
  }
  // The YAML parser is loaded only when a template is used.
  const { fill, placeholders, readTemplate } = await import('./template.ts');
  const template = readTemplate(read(file.text, file.source), file.text);
  const known = placeholders(template);
  for (const name of values.keys()) {
    if (!known.has(name)) throw inputError('--set', `${file.text} has no {{${name}}}.`);
  }
  // Placeholders in fields that an option overrides need no value.
  const overridden: readonly [Flag, keyof ConversationTemplateFile][] = [
    ['--objective', 'objective'],
    ['--contact', 'contact'],
    ['--todos', 'todos'],
    ['--todos-file', 'todos'],
    ['--fact', 'facts'],
    ['--heartbeat', 'heartbeat'],
    ['--max-followups', 'max_followups'],
  ];
  const idle = new Set<string>(
    overridden.flatMap(([name, key]) => (options[nameOf(name)] === undefined ? [] : [key])),
  );
  return Object.fromEntries(
    Object.entries(template as Record<string, InputText | InputText[]>)
      .filter(([key]) => !idle.has(key))
      .map(([key, given]) => [
        key,
        Array.isArray(given) ? given.map((one) => fill(one, values)) : fill(given, values),
      ]),
  );
}

function valuesOf(given: readonly InputText[]): Map<string, string> {
  return new Map(
    given.map(({ text, source }) => {
      const [, name, value] = /^([\w-]+)=(.*)$/s.exec(text) ?? [];
      if (name === undefined || value === undefined)
        throw inputError(source, 'give it as name=value.');
      return [name, value];
    }),
  );
}
