// One of several callers: chooses what to send and over which transport, sends it, and records the result. Pipes stay
// open over many calls and are reopened when the daemon closes them, which it may.
import type { ListedTool } from '@relay/contract/api/tools';
import { type McpReply, readHttpReply } from './answers.ts';
import { brokenMessage, rawBytes, wrongRequest } from './broken.ts';
import { type FuzzCall, type Kind, makeCall } from './calls.ts';
import { type McpFixture, secretFor } from './fixture.ts';
import {
  callHttp,
  callRest,
  type Era,
  mcpHeaders,
  Pipe,
  postMcp,
  rpcText,
  sendPlain,
} from './transports.ts';
import { chance, ODD_NAMES, pick, type Random } from './values.ts';

export interface Fate {
  readonly mark: string;
  readonly kind: Kind;
  readonly tool: string;
  readonly door: string;
  readonly heard: McpReply;
  /** What was sent, or the beginning of it. */
  readonly sent: string;
}

export interface McpLaneContext extends McpFixture {
  /** Seeded by the call's number: what is sent does not depend on concurrent calls. */
  random(n: number): Random;
  note(fate: Fate): void;
}

const TRANSPORTS = [
  'rest',
  'http current',
  'http previous',
  'pipe current',
  'pipe previous',
] as const;
type TransportName = (typeof TRANSPORTS)[number];

export class Lane {
  readonly #world: McpLaneContext;
  readonly #pipes = new Map<string, Pipe>();

  constructor(harness: McpLaneContext) {
    this.#world = harness;
  }

  async step(n: number): Promise<void> {
    const { tools } = this.#world;
    const random = this.#world.random(n);
    const tool = pick(random, tools);
    const dice = random();
    if (dice < 0.25) await this.#call(n, random, tool, 'valid');
    else if (dice < 0.4) await this.#call(n, random, tool, 'odd');
    else if (dice < 0.7) await this.#call(n, random, tool, 'broken');
    else if (dice < 0.74) await this.#trespass(n, random, tool);
    else if (dice < 0.89) await this.#message(n, random, tool);
    else if (dice < 0.96) await this.#request(n, random, tool);
    else await this.#raw(n, random, tool);
  }

  close(): void {
    for (const pipe of this.#pipes.values()) pipe.close();
  }

  async #call(n: number, random: Random, tool: ListedTool, kind: Kind): Promise<void> {
    const { known } = this.#world;
    const call = makeCall(random, n, tool, kind, known);
    const again = kind === 'valid' && !tool.read_only && chance(random, 0.1);
    const key = again ? `key-${n}` : undefined;
    const secret = this.#secretFor(random, tool, kind);
    await this.#through(pick(random, TRANSPORTS), secret, call, key);
    if (again) await this.#through(pick(random, TRANSPORTS), secret, call, key);
  }

  /** With a token without the scope, or an invalid name. */
  async #trespass(n: number, random: Random, tool: ListedTool): Promise<void> {
    const { known, secrets } = this.#world;
    const call = makeCall(random, n, tool, 'valid', known, 'broken');
    const dice = random();
    if (dice < 0.45) {
      const { limited, reader } = secrets;
      const secret = tool.read_only ? limited : pick(random, [limited, reader]);
      if (tool.scope === 'permissions:read' || tool.scope === 'link:write') return;
      await this.#through(pick(random, TRANSPORTS), secret, call);
    } else if (dice < 0.5) {
      await this.#through(pick(random, ['rest', 'http current'] as const), secrets.dead, call);
    } else {
      const name = pick(random, [
        tool.name.toUpperCase(),
        `${tool.name} `,
        'x'.repeat(5_000),
        ...ODD_NAMES,
      ]);
      await this.#through(pick(random, TRANSPORTS), this.#secretFor(random, tool, 'broken'), {
        ...call,
        tool: name,
      });
    }
  }

  async #message(n: number, random: Random, tool: ListedTool): Promise<void> {
    const { known, port } = this.#world;
    const call = makeCall(random, n, tool, 'valid', known, 'broken');
    const era = pick(random, ['current', 'previous'] as const);
    const secret = this.#secretFor(random, tool, 'broken');
    const text = brokenMessage(random, rpcText(era, n, call));
    if (chance(random, 0.5)) {
      const heard = await postMcp({ port, secret }, text, mcpHeaders(era, 'tools/call', tool.name));
      this.#note(call, `http ${era}, broken`, { ...heard, done: false }, text);
    } else {
      const pipe = await this.#pipe(era, secret);
      const heard = await pipe.say(text.replaceAll('\n', ' '));
      this.#note(call, `pipe ${era}, broken`, heard, text);
    }
  }

  async #request(n: number, random: Random, tool: ListedTool): Promise<void> {
    const { known, port } = this.#world;
    const call = makeCall(random, n, tool, 'valid', known, 'odd');
    const era = pick(random, ['current', 'previous'] as const);
    const secret = this.#secretFor(random, tool, 'odd');
    const body = rpcText(era, n, call);
    const wrong = wrongRequest(random, body, mcpHeaders(era, 'tools/call', tool.name));
    const heard = await sendPlain({ port, secret }, wrong).then(
      ({ status, text }) => readHttpReply(status, text),
      (error: Error): McpReply => ({ done: false, output: null, fault: null, what: error.message }),
    );
    this.#note(call, 'wrong request', heard);
  }

  async #raw(n: number, random: Random, tool: ListedTool): Promise<void> {
    const { known, port } = this.#world;
    const call = makeCall(random, n, tool, 'valid', known, 'broken');
    const secret = this.#secretFor(random, tool, 'broken');
    const heard = await rawBytes({ port, secret }, random, rpcText('previous', n, call));
    this.#note(call, 'raw', heard);
  }

  /** Conversations only get as far as an approval: an agent for each would be another torture. */
  #secretFor(random: Random, tool: ListedTool, kind: Kind): string {
    const { secrets } = this.#world;
    if (tool.name === 'create_conversation' && kind !== 'broken') return secrets.asker;
    const makes = tool.name === 'send_message' || tool.name === 'schedule_message';
    return makes && chance(random, 0.5) ? secrets.asker : secretFor(this.#world, tool);
  }

  async #through(door: TransportName, secret: string, call: FuzzCall, key?: string): Promise<void> {
    const asked = { port: this.#world.port, secret };
    const era: Era = door.endsWith('current') ? 'current' : 'previous';
    const heard = door.startsWith('pipe')
      ? await (await this.#pipe(era, secret)).call(call, key)
      : door === 'rest'
        ? await callRest(asked, call, key)
        : await callHttp(asked, era, call, key);
    this.#note(call, door, heard);
  }

  async #pipe(era: Era, secret: string): Promise<Pipe> {
    const name = `${era} ${secret}`;
    const there = this.#pipes.get(name);
    if (there?.open) return there;
    const pipe = await Pipe.connect({ port: this.#world.port, secret }, era);
    this.#pipes.set(name, pipe);
    return pipe;
  }

  #note({ mark, kind, tool, args }: FuzzCall, door: string, heard: McpReply, sent = args): void {
    const { note, known } = this.#world;
    note({ mark, kind, tool, door, heard, sent: sent.slice(0, 300) });
    const made = heard.output?.schedule_id;
    if (typeof made === 'string') known.schedules.push(made);
  }
}
