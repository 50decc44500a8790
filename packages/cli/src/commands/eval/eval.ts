// `relay eval`: how well the owner's own model does what observed groups need of it, on the sets that ship
// with Relay. Says what it will cost and asks first; nothing of the owner's is read or sent.
import type { EvalEvent, EvalPlan, EvalReport } from '@relay/core/api/eval';
import { answersTo } from '@relay/core/client/answer-stream';
import { RelayApiError } from '@relay/core/client/api-error';
import { RelayError } from '@relay/core/errors';
import { clientOf, postStream } from '../../api.ts';
import type { Call, Options, Run } from '../../command.ts';
import { ask, canAsk } from '../../prompt.ts';
import { costLines, reportLines } from './describe.ts';

const INTERRUPTED = 130;
const FAILED = 500;
const SETS = ['trigger', 'digest', 'all'] as const;
type Wanted = (typeof SETS)[number];

export const run: Run = async (call) => {
  const { config, terminal, options } = call;
  const request = requestOf(options);
  const plan = await clientOf(config.home).get('/api/eval', { query: request });
  if (!(await agreed(call, plan))) return 0;
  const stopped = new AbortController();
  const stop = () => stopped.abort(new Error('stopped'));
  process.once('SIGINT', stop);
  try {
    const report = await follow(call, request, stopped.signal);
    if (terminal.json) terminal.give(report);
    else for (const line of reportLines(report, terminal.colours)) terminal.say(line);
    return 0;
  } catch (error) {
    if (!stopped.signal.aborted) throw error;
    terminal.settle();
    return INTERRUPTED;
  } finally {
    process.off('SIGINT', stop);
  }
};

interface Request {
  readonly set: Wanted;
  readonly limit?: number;
}

function requestOf(options: Options): Request {
  const set = SETS.find((each) => each === options.set);
  if (set === undefined)
    throw new RelayError('usage', { what: 'Give --set one of trigger, digest and all.' });
  if (options.limit === undefined) return { set };
  const limit = Number(options.limit);
  if (Number.isInteger(limit) && limit >= 1) return { set, limit };
  throw new RelayError('usage', { what: 'Give --limit a whole number, as in `--limit 20`.' });
}

async function agreed({ terminal, options }: Call, plan: EvalPlan): Promise<boolean> {
  if (!terminal.json) for (const line of costLines(plan)) terminal.progress(line);
  if (options.yes === true) return true;
  if (terminal.json || !canAsk())
    throw new RelayError('usage', { what: 'This spends tokens. Say that you want it with --yes.' });
  terminal.settle();
  return /^y(es)?$/i.test(await ask('Go on? [y/N] '));
}

async function follow(
  { config, terminal }: Call,
  body: Request,
  signal: AbortSignal,
): Promise<EvalReport> {
  const asked = { path: '/api/eval', body };
  for await (const event of answersTo<EvalEvent>(asked, postStream(config.home), signal)) {
    if (event.type === 'progress') {
      if (terminal.attended) terminal.progress(`${event.set}: ${event.done} of ${event.of}`);
    } else if (event.type === 'error') throw new RelayApiError(FAILED, event.code, event.message);
    else return event.report;
  }
  throw new RelayError('answer_broke_off');
}
