// After a command about conversations, a person is told in one line if some wait for them. Costs one
// request that may take no time to speak of, and is never a reason for the command to fail.
import type { DaemonStatus } from '@relay/core/api/status';
import type { Run } from '../command.ts';
import { count } from '../format.ts';
import { send } from '../http.ts';

const PATIENCE_MS = 300;

export const withReminder =
  (run: Run): Run =>
  async (call) => {
    const exit = await run(call);
    const { terminal, config } = call;
    if (terminal.attended) {
      const waiting = await waitingForOwner(config.home);
      if (waiting > 0) {
        const wait = waiting === 1 ? 'waits' : 'wait';
        terminal.note(
          `${count(waiting, 'conversation')} ${wait} for you: \`relay list --state NEEDS_HUMAN_INTERVENTION\``,
        );
      }
    }
    return exit;
  };

async function waitingForOwner(home: string): Promise<number> {
  try {
    const wire = { method: 'GET', path: '/api/status', patience: PATIENCE_MS };
    const { status, body } = await send(home, wire);
    return status === 200 ? (JSON.parse(body) as DaemonStatus).needs_you_count : 0;
  } catch {
    return 0;
  }
}
