// The seven races of a conversation. Each says how things stand before (reached freely), and which operations
// are then on their way at once; who goes when is for the scheduler.
import type { InstanceId } from '@relay/contract/ids';
import type { Lane } from './lane.ts';

export interface RaceContext {
  readonly lane: Lane;
  readonly phone: string;
  readonly random: () => number;
  /** The contact writes. */
  writes(): Promise<void>;
  /** Until nobody moves. */
  rest(): Promise<void>;
  /** From here on the scheduler decides. */
  hold(): void;
  /** From the moment on at which the agent thinks. */
  holdAtModel(): Promise<void>;
  /** On its way from now on; a refusal by the state machine is an answer like another. */
  start(operation: () => Promise<unknown>): void;
}

const INTERVAL_MS = 60_000;

/** A conversation that waits for its contact, whose first message has left. */
async function waiting(stage: RaceContext): Promise<InstanceId> {
  const id = await stage.lane.create(stage.phone, { interval_ms: INTERVAL_MS, max_followups: 2 });
  await stage.rest();
  await stage.lane.carry();
  return id;
}

/** The cause of a turn has happened; mostly the agent is already thinking, sometimes it is yet to begin. */
async function inTurn(stage: RaceContext, cause: () => Promise<unknown>): Promise<void> {
  const thinking = stage.random() < 0.7 ? stage.holdAtModel() : null;
  await cause();
  await (thinking ?? stage.hold());
}

export const RACES: Readonly<Record<string, (stage: RaceContext) => Promise<void>>> = {
  async 'reply during a follow-up'(stage) {
    await waiting(stage);
    stage.lane.move(INTERVAL_MS);
    await inTurn(stage, () => stage.lane.tick());
    await stage.writes();
  },

  async 'two replies during a turn'(stage) {
    await waiting(stage);
    await inTurn(stage, () => stage.writes());
    await stage.writes();
    await stage.writes();
  },

  async 'reply while paused'(stage) {
    const id = await waiting(stage);
    const { lane } = stage;
    if (stage.random() < 0.5) lane.move(INTERVAL_MS);
    stage.hold();
    stage.start(async () => {
      await lane.owner('pause', id);
      await lane.owner('resume', id);
    });
    stage.start(() => lane.tick());
    await stage.writes();
    if (stage.random() < 0.5) await stage.writes();
  },

  async 'cancel during a turn'(stage) {
    const id = await waiting(stage);
    if (stage.random() < 0.3) {
      await stage.lane.create(stage.phone);
      await stage.rest();
    }
    await inTurn(stage, () => stage.writes());
    stage.start(() => stage.lane.owner('cancel', id));
  },

  async 'takeover during a turn'(stage) {
    await waiting(stage);
    const { lane, phone } = stage;
    const inFollowUp = stage.random() < 0.4;
    if (inFollowUp) lane.move(INTERVAL_MS);
    await inTurn(stage, () => (inFollowUp ? lane.tick() : stage.writes()));
    // Both are routed one after the other: they are of one chat.
    if (stage.random() < 0.3) await stage.writes();
    await lane.arrives(phone, 'I will see to it myself', true);
    if (stage.random() < 0.3) await stage.writes();
  },

  async 'two creates for one contact'(stage) {
    const { lane, phone, start } = stage;
    stage.hold();
    start(() => lane.create(phone));
    start(() => lane.create(phone));
    if (stage.random() < 0.3) start(() => lane.create(phone));
    if (stage.random() < 0.5) await stage.writes();
  },

  async 'heartbeat at the moment of a reply'(stage) {
    await waiting(stage);
    stage.lane.move(INTERVAL_MS);
    stage.hold();
    stage.start(() => stage.lane.tick());
    await stage.writes();
    if (stage.random() < 0.3) await stage.writes();
  },
};
