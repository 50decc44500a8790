// The open event streams, by whom they belong to. Invariant: a principal that is no longer good
// has no open stream, and a closing server has none at all.
import type { ServerResponse } from 'node:http';
import type { Principal } from './principal.ts';

export interface Streams {
  /** Aborts when the stream is ended from this side, or the reader is gone. */
  open(principal: Principal, response: ServerResponse): AbortSignal;
  end(principal: Principal): void;
  endAll(): void;
}

export function createStreams(): Streams {
  const live = new Set<{ hash: string; end(): void }>();
  const endWhere = (matches: (hash: string) => boolean) => {
    for (const stream of [...live]) if (matches(stream.hash)) stream.end();
  };
  return {
    open(principal, response) {
      const controller = new AbortController();
      const stream = {
        hash: principal.hash,
        end() {
          controller.abort();
          // A reader that does not read would keep the last bytes, and the connection, for ever.
          if (response.writableNeedDrain) response.destroy();
        },
      };
      live.add(stream);
      response.once('close', () => {
        live.delete(stream);
        controller.abort();
      });
      return controller.signal;
    },
    end: (principal) => endWhere((hash) => hash === principal.hash),
    endAll: () => endWhere(() => true),
  };
}
