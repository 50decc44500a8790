// `relay init` for a person at a terminal: model, link, a message to oneself, first grants. Invariant: whatever is done
// is looked up, told in one line and not asked again, so that running it again goes on where it was left; each step says
// what it is for, and each can be skipped.
import type { LinkBody } from '@relay/core/api/link';
import { RelayApiError } from '@relay/core/client/api-error';
import type { Client } from '@relay/core/client/client';
import { RelayError } from '@relay/core/errors';
import { PROBE_TEXT } from '@relay/core/messages/probe';
import { clientOf } from '../api.ts';
import type { Call } from '../command.ts';
import { run as grant } from '../commands/grant.ts';
import { count } from '../format.ts';
import { ensureDaemon } from '../launch.ts';
import { connectedAs, untilLinked } from '../link/link.ts';
import { ask } from '../prompt.ts';
import { askModel, type Model, modelGiven } from './model.ts';

interface Stage extends Call {
  readonly client: Client;
}

export async function guide(call: Call): Promise<number> {
  // Read before anything is started: what is wrong with it is said at once.
  const given = await modelGiven(call);
  await ensureDaemon(call.config, call.terminal);
  const stage = { ...call, client: clientOf(call.config.home) };
  const model = await chooseModel(stage, given);
  const link = await linkPhone(stage);
  const probe = link === null ? null : await proveWire(stage, link);
  const grants = await firstGrants(stage);
  const open = [model, link !== null, probe !== null, grants].filter((done) => !done).length;
  call.terminal.note(
    open === 0
      ? 'All set. `relay open` shows it in your browser.'
      : `${count(open, 'step')} left for later: \`relay init\` goes on there.`,
  );
  return probe === false ? 1 : 0;
}

/** True once a model has answered. */
async function chooseModel(stage: Stage, given: Model): Promise<boolean> {
  const { client, options } = stage;
  if (Object.keys(given).length > 0) await client.patch('/api/settings', { body: { ...given } });
  if (options.skipModel === true) return skipped(stage, 'Model');
  if (await modelAnswers(stage)) return true;
  explain(stage, 'Model', 'Your agents think with it; without one nobody is answered.');
  for (;;) {
    const asked = await orRefusal(stage, askModel({}));
    if (asked === null) continue;
    if (asked.model_provider === undefined) return skipped(stage, 'Model');
    await client.patch('/api/settings', { body: { ...asked } });
    if (await modelAnswers(stage)) return true;
  }
}

/** Asks it one short question: a key that does not work is found here and not in the first conversation. */
async function modelAnswers(stage: Stage): Promise<boolean> {
  const { client, terminal } = stage;
  const { model } = await client.get('/api/settings');
  if (!model.ready) {
    if (model.provider !== null) failed(stage, model.sentence);
    return false;
  }
  terminal.progress('Asking the model one short question …');
  const { ok, sentence } = await client.post('/api/settings/model/trial');
  if (ok) done(stage, 'Model', sentence);
  else failed(stage, sentence);
  return ok;
}

/** Null: left for later. */
async function linkPhone(stage: Stage): Promise<LinkBody | null> {
  const { client, config, terminal, options } = stage;
  const before = await client.get('/api/whatsapp/link');
  if (before.status === 'connected') {
    done(stage, 'WhatsApp', connectedAs(before));
    return before;
  }
  if (options.skipLink === true) return skip(stage, 'WhatsApp');
  explain(stage, 'WhatsApp', 'Relay becomes one more device of your account, as WhatsApp Web is.');
  const given = typeof options.phone === 'string' ? options.phone : await askHow();
  if (given === null) return skip(stage, 'WhatsApp');
  terminal.progress('Connecting to WhatsApp …');
  await client.post('/api/init', { body: given === '' ? {} : { phone: given } });
  const link = await untilLinked(config.home, terminal);
  done(stage, 'WhatsApp', connectedAs(link));
  return link;
}

/** A phone number, nothing for a QR code, null for later. */
async function askHow(): Promise<string | null> {
  const answer = await ask('Enter shows a QR code, your number a code to type; "skip" for later: ');
  return /^s(kip)?$/i.test(answer) ? null : answer;
}

/** True when it arrived, now or before; null: left for later. */
async function proveWire(stage: Stage, { phone }: LinkBody): Promise<boolean | null> {
  const { client, terminal, options } = stage;
  if (phone !== null && (await wasProven(client, phone))) {
    done(stage, 'Test message', 'It has arrived before.');
    return true;
  }
  if (options.skipProbe === true) return skip(stage, 'Test message');
  explain(stage, 'Test message', 'A message to your own chat proves the way out and back.');
  if (/^(s(kip)?|no?)$/i.test(await ask('Enter sends it; "skip" for later: '))) {
    return skip(stage, 'Test message');
  }
  terminal.progress('Writing a message to yourself …');
  const { arrived, sentence } = await client.post('/api/whatsapp/probe');
  if (arrived) done(stage, 'Test message', `A message to yourself arrived: ✓`);
  else failed(stage, sentence);
  return arrived;
}

async function wasProven(client: Client, phone: string): Promise<boolean> {
  const query = { contact: phone, limit: 100 };
  const { messages } = await client.get('/api/whatsapp/messages', { query });
  return messages.some(({ fromMe, body }) => fromMe && body === PROBE_TEXT);
}

/** True when somebody was granted something, now or before. */
async function firstGrants(stage: Stage): Promise<boolean> {
  const { client, options } = stage;
  const granted = await client.get('/api/whatsapp/permissions');
  if (granted.length > 0) {
    done(stage, 'Grants', `${count(granted.length, 'contact or group', 'contacts and groups')}.`);
    return true;
  }
  if (options.skipGrants === true) return skipped(stage, 'Grants');
  explain(stage, 'Grants', 'Nobody is read or answered until you say who.');
  let some = false;
  for (;;) {
    const who = await ask(`${some ? 'Who else' : 'Who'}? A name or a number; Enter to skip: `);
    if (who === '') return some || skipped(stage, 'Grants');
    some = (await grantOne(stage, who)) || some;
  }
}

async function grantOne(stage: Stage, who: string): Promise<boolean> {
  const how = await ask('(r)ead only, (d)raft answers for your yes, (a)nswer by itself [d]: ');
  const options = {
    read: true as const,
    ...(/^r/i.test(how) ? {} : /^a/i.test(how) ? { reply: true } : { draft: true }),
  };
  return (await orRefusal(stage, grant({ ...stage, args: [who], options }))) !== null;
}

/** Null: what was typed is nothing, such as a name that nobody has; said, and asked again. */
async function orRefusal<T>(stage: Stage, answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof RelayError || error instanceof RelayApiError)) throw error;
    failed(stage, error.message);
    return null;
  }
}

const explain = ({ terminal }: Stage, step: string, reason: string): void =>
  terminal.note(`\n${terminal.colours.bold(step)}. ${reason}`);

const done = ({ terminal }: Stage, step: string, how: string): void =>
  terminal.say(`${terminal.colours.green('✓')} ${step}: ${how}`);

const failed = ({ terminal }: Stage, sentence: string): void =>
  terminal.say(`${terminal.colours.red('✗')} ${sentence}`);

function skip(stage: Stage, step: string): null {
  stage.terminal.say(`– ${step}: left for later.`);
  return null;
}

function skipped(stage: Stage, step: string): false {
  skip(stage, step);
  return false;
}
