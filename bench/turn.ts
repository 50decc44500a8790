// The overhead of Relay on a turn: from the contact's stored message to the answer committed in the outbox, against the
// same model calls made directly with the AI SDK. Turns alternate in one process of one run.
import { startModelServer } from '@relay/simulator/model/server';
import { answer } from '@relay/testing/dialogue/script';
import { type Limit, median, quantile } from './figures.ts';
import { benchServer } from './harness.ts';
import type { TurnArm, TurnTimes } from './turn/arm.ts';
import { Worker } from './worker.ts';

const WARM_UP = 50;
const TURNS = 400;

export async function benchTurn(): Promise<readonly Limit[]> {
  const server = await benchServer();
  const model = await startModelServer();
  model.play(answer);
  const arm: Worker<TurnArm> = new Worker(new URL('./turn/arm.ts', import.meta.url));
  try {
    await arm.call('open', {
      target: server.target,
      daemon: server.daemon,
      model: `${model.url}/v1`,
      turns: WARM_UP + TURNS,
    });
    const turns: TurnTimes[] = [];
    const bare: number[] = [];
    for (let n = 0; n < WARM_UP + TURNS; n++) {
      const turn = await arm.call('turn');
      const ms = await arm.call('bare', { like: model.calls().at(-turn.calls)?.body });
      if (n < WARM_UP) continue;
      turns.push(turn);
      bare.push(ms);
    }
    return summary(turns, bare);
  } finally {
    await arm.end();
    await model.close();
    await server.close();
  }
}

function summary(turns: readonly TurnTimes[], bare: readonly number[]): readonly Limit[] {
  const part = (name: string, pick: (turn: TurnTimes) => number): Limit => ({
    name: `  ${name}, p50`,
    measured: median(turns.map(pick)),
    unit: 'ms',
  });
  const added = turns.map(({ total }, n) => total - (bare[n] ?? Number.NaN));
  return [
    { name: 'calls of the model in a turn', measured: turns[0]?.calls ?? Number.NaN, unit: '' },
    { name: 'the same calls bare, p50', measured: median(bare), unit: 'ms' },
    { name: 'a turn, p50', measured: median(turns.map(({ total }) => total)), unit: 'ms' },
    part('until its job is at hand', ({ fetched }) => fetched),
    part('begin', ({ began }) => began),
    part('the agent', ({ thought }) => thought),
    part('of that, noting what it cost', ({ noted }) => noted),
    part('finish', ({ finished }) => finished),
    { name: 'added to a turn, p50', measured: median(added), unit: 'ms', atMost: 15 },
    { name: 'added to a turn, p95', measured: quantile(added, 0.95), unit: 'ms' },
  ];
}
