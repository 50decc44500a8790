// What a run reads outside of WhatsApp, such as a web page: the call is written down with how much it was.

import type { Result } from './answers.ts';
import type { Call } from './calls.ts';
import { counted, record } from './calls.ts';
import type { ToolRun } from './run.ts';

export const readOutside =
  (run: ToolRun) =>
  (call: Call, result: Result): Promise<void> =>
    run.write((tx) => record(tx, run, call, { result: counted(result), effect: null }));
