// The seven races of a conversation. Each defines the state before (reached freely) and the operations that then run at
// once; the scheduler decides the order.
import type { InstanceId } from '@relay/contract/ids';
import type { Lane } from './lane.ts';

export interface RaceContext {
  readonly lane: Lane;
  readonly phone: string;
  readonly random: () => number;
  /** The contact writes. */
  writes(): Promise<void>;
  /** Waits until everything is idle. */
  rest(): Promise<void>;
  /** From here on the scheduler decides. */
  hold(): void;
  /** Holds from the moment on at which the model is called. */
  holdAtModel(): Promise<void>;
  /** Starts an operation; a refusal by the state machine is a valid result. */
  start(operation: () => Promise<unknown>): void;
}

const INTERVAL_MS = 60_000;

/** A conversation that waits for its contact: its first message was acknowledged, and the follow-up clock runs. */
async function waiting(stage: RaceContext): Promise<InstanceId> {
  const id = await stage.lane.create(stage.phone, { interval_ms: INTERVAL_MS, max_followups: 2 });
  await stage.rest();
  await stage.lane.carry();
  await stage.rest();
  return id;
}

/** The cause of a turn has happened; mostly the agent is already running, sometimes it has not started. */
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
    // Both are routed one after the other, because they are in one chat.
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
