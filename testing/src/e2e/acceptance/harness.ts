// Acceptance harness: the built command starts the built daemon, on the simulated network and with the scripted model.
// Tests act through commands and check phones. With TEST_DEFAULTS=1 the daemon has the shipped settings, pacing
// included, and the clock skips the waits for its caps. Invariant: none of its daemons ever reaches WhatsApp, and after
// `end` nothing is left.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { ConversationInstance, TranscriptLine } from '@relay/contract/api/instances';
import type { InstanceState } from '@relay/contract/conversation/states';
import { pacingSchema } from '@relay/contract/settings';
import { nextFirstContactAt, nextSendAt, type PacedSend } from '@relay/core/outbox/pacing';
import { type ModelServer, startModelServer } from '@relay/simulator/model/server';
import { type Simulator, startSimulator } from '@relay/simulator/simulator';
import { expect, inject, vi } from 'vitest';
import { freshDatabase } from '../../postgres.ts';
import { builtIn } from '../built.ts';
import { eventually, Gateway } from '../gateway.ts';
import { Phones } from '../phones.ts';
import { Relay, type Result } from '../relay.ts';
import { SimulatedClock } from '../simulated-clock.ts';
import { Person } from './person.ts';

// Generous, for a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });
const PATIENCE_MS = 120_000;

const onDefaults = process.env.TEST_DEFAULTS === '1';
/** The pacing of every daemon here. */
export const PACING = pacingSchema.parse(onDefaults ? {} : { enabled: false });
const LOOK_EVERY_MS = 500;

/** The owner's own phone. */
export const ME = '15550000000';

export interface AcceptanceOptions {
  /** Added to the settings for the model and, unless the defaults are tested, those that turn pacing off. */
  readonly settings?: object;
  /** False: `relay init` has not run yet. */
  readonly linked?: boolean;
}

export interface BeginOptions {
  readonly todos?: readonly { text: string }[];
  readonly heartbeat_config?: { interval_ms?: number; max_followups?: number };
}

export async function openAcceptanceHarness({
  settings,
  linked = true,
}: AcceptanceOptions = {}): Promise<AcceptanceHarness> {
  const built = await builtIn(inject('builds'));
  const work = await mkdtemp(join(tmpdir(), 'relay acceptance '));
  const clock = new SimulatedClock(join(work, 'clock'));
  const [simulator, model] = await Promise.all([
    startSimulator({ now: clock.now }),
    startModelServer(),
  ]);
  const relay = new SimulatedRelay(work, built, await freshDatabase(), {});
  relay.simulator = simulator.socketUrl;
  relay.clock = clock;
  const harness = new AcceptanceHarness(relay, simulator, model, clock);
  try {
    await relay.configure({
      model_provider: 'openai-compatible',
      model_base_url: `${model.url}/v1`,
      model_name: 'scripted',
      model_api_key: 'sk-scripted',
      ...(onDefaults ? {} : { pacing: { enabled: false } }),
      // Notices are messages too: only the tests of notices count with them.
      tell_owner_on_whatsapp: false,
      ...settings,
    });
    await harness.phones.add(ME, 'Olga Owner');
    await relay.start();
    if (linked) await harness.init();
    if (PACING.enabled) harness.skipPacing();
    return harness;
  } catch (error) {
    await harness.end();
    throw error;
  }
}

/** Connects whatever it starts to the simulated network. */
class SimulatedRelay extends Relay {
  simulator = '';
  clock: SimulatedClock | null = null;

  override spawn(...[args, environment = {}, input]: Parameters<Relay['spawn']>) {
    const preload = pathToFileURL(join(this.built, 'simulator/preload.js')).href;
    const simulated = {
      NODE_OPTIONS: `--import=${preload} --import=${this.clock?.preload}`,
      RELAY_SIMULATOR_URL: this.simulator,
    };
    const starts = args[0] === 'start' || args[0] === 'init';
    return super.spawn(args, starts ? { ...simulated, ...environment } : environment, input);
  }
}

export class AcceptanceHarness {
  readonly relay: Relay;
  readonly simulator: Simulator;
  readonly model: ModelServer;
  readonly phones: Phones;
  /** The clock of the daemon and the network. */
  readonly clock: SimulatedClock;
  /** The API as one of the owner's clients calls it. */
  readonly api: Gateway;
  #people = 0;
  #ended = false;
  #skipping: Promise<void> = Promise.resolve();

  constructor(relay: Relay, simulator: Simulator, model: ModelServer, clock: SimulatedClock) {
    this.relay = relay;
    this.simulator = simulator;
    this.model = model;
    this.clock = clock;
    this.phones = new Phones(simulator.url);
    this.api = new Gateway(() => ({ port: relay.port, token: relay.token }));
  }

  /** Runs `relay init`, whose code the owner's phone scans; returns its output lines. */
  async init(...args: string[]): Promise<Record<string, unknown>[]> {
    const child = this.relay.spawn(['init', '--json', '--skip-probe', ...args]);
    const lines: Record<string, unknown>[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const said = JSON.parse(line) as Record<string, unknown>;
      lines.push(said);
      const isFirst = lines.filter(({ qr }) => qr).length === 1;
      if (typeof said.qr === 'string' && isFirst) await this.phones.scan(ME, said.qr);
    }
    expect(lines.at(-1)).toMatchObject({ connected: true, phone: ME });
    return lines;
  }

  run(...args: string[]): Promise<Result> {
    return this.relay.run(...args);
  }

  /** Runs a command that must succeed, as a person; returns its output. */
  async says(...args: string[]): Promise<string> {
    const { exit, out, err } = await this.relay.run(...args);
    expect({ args, exit, err: exit === 0 ? '' : err }).toEqual({ args, exit: 0, err: '' });
    return out;
  }

  /** Runs a command that must succeed, with --json; returns the JSON. */
  async gives<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.says(...args, '--json')) as T;
  }

  /** Creates a person with their own phone. */
  async person(name: string): Promise<Person> {
    const { phones, model } = this;
    const phone = `1555100${String(++this.#people).padStart(4, '0')}`;
    await phones.add(phone, name);
    return new Person({ name, phone, owner: ME, phones, model });
  }

  /** Runs `relay create` for a conversation that names this person; returns its id. */
  async create(person: Person, ...options: string[]): Promise<string> {
    const objective = `Agree with ${person.name} on a day for the visit`;
    const args = ['--objective', objective, '--contact', person.number, ...options];
    return (await this.gives<{ id: string }>('create', ...args)).id;
  }

  /** The same through the API, for tests that are not about the command. */
  async begin(person: Person, more: BeginOptions = {}): Promise<string> {
    const { id } = await this.api.ok<{ id: string }>('POST', '/api/instances', {
      objective: `Agree with ${person.name} on a day for the visit`,
      target_contact: person.number,
      ...more,
    });
    return id;
  }

  /** Pauses, resumes or cancels a conversation through the API. */
  change(id: string, action: 'pause' | 'resume' | 'cancel'): Promise<ConversationInstance> {
    return this.api.ok('POST', `/api/instances/${id}/${action}`);
  }

  get(id: string): Promise<ConversationInstance> {
    return this.api.ok('GET', `/api/instances/${id}`);
  }

  transcript(id: string): Promise<TranscriptLine[]> {
    return this.api.ok('GET', `/api/instances/${id}/transcript`);
  }

  /** The transcript as `role: content`. */
  async lines(id: string): Promise<string[]> {
    return (await this.transcript(id)).map(({ role, content }) => `${role}: ${content}`);
  }

  reaches(id: string, ...states: InstanceState[]): Promise<ConversationInstance> {
    return this.becomes(id, states.join(' or '), ({ state }) => states.includes(state));
  }

  /** Waits until it waits for a reply and its follow-up clock runs. */
  waits(id: string): Promise<ConversationInstance> {
    const runs = (it: ConversationInstance) => it.next_follow_up_at !== null;
    return this.becomes(id, 'waiting for a reply', runs);
  }

  becomes(
    id: string,
    what: string,
    is: (instance: ConversationInstance) => boolean,
  ): Promise<ConversationInstance> {
    return eventually(
      `${id} to be ${what}`,
      async () => {
        const instance = await this.get(id);
        return is(instance) ? instance : undefined;
      },
      PATIENCE_MS,
    );
  }

  /** Every state change of a conversation, from its log. */
  async moves(id: string): Promise<string[]> {
    const rows = await this.relay.query(
      'SELECT from_state, trigger, to_state FROM relay.instance_transitions WHERE instance_id = $1 ORDER BY id',
      [id],
    );
    return rows.map((row) => `${row.from_state} ${row.trigger} ${row.to_state}`);
  }

  /** The daemon's log so far. */
  log(): LogLine[] {
    const written = this.relay.file('relay.log').trimEnd().split('\n');
    return written.map((line) => JSON.parse(line) as LogLine);
  }

  /** From now on the clock moves ahead whenever a message waits for a pacing cap. */
  skipPacing(): void {
    this.#skipping = this.#skipUntilEnd();
  }

  async #skipUntilEnd(): Promise<void> {
    while (!this.#ended) {
      const now = this.clock.now();
      const next = await this.#nextSendAt(now);
      this.clock.advance(next.getTime() - now.getTime());
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** When pacing allows the queued messages to be sent. */
  async #nextSendAt(now: Date): Promise<Date> {
    const rows = (await this.relay.query(
      `SELECT o.attempted_at AS at, o.first_contact AS "firstContact",
         o.state = 'pending' AND NOT o.in_doubt AS queued, c.kind = 'direct' AND NOT EXISTS (
           SELECT FROM relay.message_keys k WHERE k.chat_id = o.chat_id) AS opens
       FROM relay.outbox o JOIN relay.chats c ON c.id = o.chat_id`,
    )) as unknown as (PacedSend & { at: Date | null; queued: boolean; opens: boolean })[];
    const queued = rows.filter((row) => row.queued);
    const sent = rows.filter((row) => row.at !== null);
    if (queued.length === 0) return now;
    const opens = queued.some((row) => row.opens);
    return (opens ? nextFirstContactAt(sent, PACING, now) : nextSendAt(sent, PACING, now)) ?? now;
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#skipping;
    await this.relay.end().finally(() => this.simulator.close());
    await this.model.close();
  }
}

export interface LogLine {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}
