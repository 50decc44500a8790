// `relay demo`: a simulated WhatsApp, a scripted model and a real daemon between them, for as long as somebody holds on
// to it. People get a scene to walk about in; programs (`--headless`) one line, and speak HTTP from then on.
// Invariant: when it ends, however it ends, no process is left, and no file of a temporary home.
import { RelayError } from '@relay/core/errors';
import type { Run } from '../../command.ts';
import { forPrograms } from './headless.ts';
import { hold } from './hold.ts';
import { forPeople } from './people.ts';

export const run: Run = ({ config, terminal, options }) => {
  const port = portOf(options.port);
  if (options.headless === true)
    return hold((closers) => forPrograms(terminal, { port, home: options.home, closers }));
  if (options.home !== undefined)
    throw new RelayError('usage', {
      what: '--home goes with --headless; what people see is made anew each time.',
    });
  const open = options.open !== false && !terminal.json;
  return hold((closers, unwanted) =>
    forPeople({ config, terminal }, { port, open, closers, unwanted }),
  );
};

function portOf(text: unknown): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new RelayError('usage', { what: `${text} is not a port.` });
}
