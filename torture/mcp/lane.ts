// One caller among several: chooses what to send and by which door, sends it, and writes down what became of
// it. Pipes stay open over many calls and are opened anew when the daemon ends them, as it may.
import type { ToolShown } from '@relay/core/api/tools';
import { type Heard, hearHttp } from './answers.ts';
import { brokenMessage, rawBytes, wrongRequest } from './broken.ts';
import { type FuzzCall, type Kind, type Known, makeCall } from './calls.ts';
import { ask, callHttp, callRest, type Era, mcpHeaders, Pipe, postMcp, rpcText } from './doors.ts';
import { chance, ODD_NAMES, pick, type Random } from './values.ts';

export interface Secrets {
  /** Looks, and sends nothing. */
  readonly reader: string;
  /** Sends without being asked. */
  readonly writer: string;
  /** Waits for the owner. */
  readonly asker: string;
  /** May do next to nothing. */
  readonly limited: string;
  /** Was revoked. */
  readonly dead: string;
}

export interface Fate {
  readonly mark: string;
  readonly kind: Kind;
  readonly tool: string;
  readonly door: string;
  readonly heard: Heard;
  /** Of a call that cancels. */
  readonly args: string;
}

export interface World {
  readonly port: number;
  readonly tools: readonly [ToolShown, ...ToolShown[]];
  readonly secrets: Secrets;
  readonly known: Known;
  readonly random: Random;
  note(fate: Fate): void;
}

const DOORS = ['rest', 'http current', 'http previous', 'pipe current', 'pipe previous'] as const;
type Door = (typeof DOORS)[number];

export class Lane {
  readonly #world: World;
  readonly #pipes = new Map<string, Pipe>();

  constructor(world: World) {
    this.#world = world;
  }

  async step(n: number): Promise<void> {
    const { random, tools } = this.#world;
    const tool = pick(random, tools);
    const dice = random();
    if (dice < 0.25) await this.#call(n, tool, 'valid');
    else if (dice < 0.4) await this.#call(n, tool, 'odd');
    else if (dice < 0.7) await this.#call(n, tool, 'broken');
    else if (dice < 0.74) await this.#trespass(n, tool);
    else if (dice < 0.89) await this.#message(n, tool);
    else if (dice < 0.96) await this.#request(n, tool);
    else await this.#raw(n, tool);
  }

  close(): void {
    for (const pipe of this.#pipes.values()) pipe.close();
  }

  async #call(n: number, tool: ToolShown, kind: Kind): Promise<void> {
    const { random, known } = this.#world;
    const call = makeCall(random, n, tool, kind, known);
    const again = kind === 'valid' && !tool.read_only && chance(random, 0.1);
    const key = again ? `key-${n}` : undefined;
    const secret = this.#secretFor(tool, kind);
    await this.#through(pick(random, DOORS), secret, call, key);
    if (again) await this.#through(pick(random, DOORS), secret, call, key);
  }

  /** With a token that does not open it, or a name that is none. */
  async #trespass(n: number, tool: ToolShown): Promise<void> {
    const { random, known, secrets } = this.#world;
    const call = makeCall(random, n, tool, 'valid', known, 'broken');
    const dice = random();
    if (dice < 0.45) {
      const { limited, reader } = secrets;
      const secret = tool.read_only ? limited : pick(random, [limited, reader]);
      if (tool.scope === 'permissions:read' || tool.scope === 'link:write') return;
      await this.#through(pick(random, DOORS), secret, call);
    } else if (dice < 0.5) {
      await this.#through(pick(random, ['rest', 'http current'] as const), secrets.dead, call);
    } else {
      const name = pick(random, [
        tool.name.toUpperCase(),
        `${tool.name} `,
        'x'.repeat(5_000),
        ...ODD_NAMES,
      ]);
      await this.#through(pick(random, DOORS), this.#secretFor(tool, 'broken'), {
        ...call,
        tool: name,
      });
    }
  }

  async #message(n: number, tool: ToolShown): Promise<void> {
    const { random, known, port } = this.#world;
    const call = makeCall(random, n, tool, 'valid', known, 'broken');
    const era = pick(random, ['current', 'previous'] as const);
    const secret = this.#secretFor(tool, 'broken');
    const text = brokenMessage(random, rpcText(era, n, call));
    if (chance(random, 0.5)) {
      const heard = await postMcp({ port, secret }, text, mcpHeaders(era, 'tools/call', tool.name));
      this.#note(call, `http ${era}, broken`, { ...heard, done: false });
    } else {
      const pipe = await this.#pipe(era, secret);
      const heard = await pipe.say(text.replaceAll('\n', ' '));
      this.#note(call, `pipe ${era}, broken`, heard);
    }
  }

  async #request(n: number, tool: ToolShown): Promise<void> {
    const { random, known, port } = this.#world;
    const call = makeCall(random, n, tool, 'valid', known, 'odd');
    const era = pick(random, ['current', 'previous'] as const);
    const secret = this.#secretFor(tool, 'odd');
    const body = rpcText(era, n, call);
    const wrong = wrongRequest(random, body, mcpHeaders(era, 'tools/call', tool.name));
    const heard = await ask({ port, secret }, wrong).then(
      ({ status, text }) => hearHttp(status, text),
      (error: Error): Heard => ({ done: false, output: null, fault: null, what: error.message }),
    );
    this.#note(call, 'wrong request', heard);
  }

  async #raw(n: number, tool: ToolShown): Promise<void> {
    const { random, known, port } = this.#world;
    const call = makeCall(random, n, tool, 'valid', known, 'broken');
    const secret = this.#secretFor(tool, 'broken');
    const heard = await rawBytes({ port, secret }, random, rpcText('previous', n, call));
    this.#note(call, 'raw', heard);
  }

  /** Conversations are only asked for: an agent for each would be another torture. */
  #secretFor(tool: ToolShown, kind: Kind): string {
    const { random, secrets } = this.#world;
    if (tool.read_only || tool.scope === 'link:write') return secrets.reader;
    if (tool.name === 'create_conversation' && kind !== 'broken') return secrets.asker;
    if (tool.name === 'control_conversation' || tool.name === 'cancel_schedule')
      return secrets.writer;
    return pick(random, [secrets.writer, secrets.asker]);
  }

  async #through(door: Door, secret: string, call: FuzzCall, key?: string): Promise<void> {
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

  #note({ mark, kind, tool, args }: FuzzCall, door: string, heard: Heard): void {
    this.#world.note({ mark, kind, tool, args, door, heard });
  }
}
