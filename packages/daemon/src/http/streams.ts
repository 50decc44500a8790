// The open streams and pipes, by whom they belong to. Invariant: a principal that is no longer good has
// nothing open, and a closing server has nothing open at all.
import type { Writable } from 'node:stream';
import type { TokenId } from '@relay/core/ids';
import type { Principal } from './principal.ts';

export interface Streams {
  /** Aborts when the stream is ended from this side, or the reader is gone. */
  open(principal: Principal, stream: Writable): AbortSignal;
  end(principal: Principal): void;
  /** Whatever secret it was opened with. */
  endProgram(token: TokenId): void;
  /** Those of every browser. */
  endSessions(): void;
  endAll(): void;
}

export function createStreams(): Streams {
  const live = new Set<{ principal: Principal; end(): void }>();
  const endWhere = (matches: (principal: Principal) => boolean) => {
    for (const stream of [...live]) if (matches(stream.principal)) stream.end();
  };
  return {
    open(principal, stream) {
      const controller = new AbortController();
      const opened = {
        principal,
        end() {
          controller.abort();
          // A reader that does not read would keep the last bytes, and the connection, for ever.
          if (stream.writableNeedDrain) stream.destroy();
        },
      };
      live.add(opened);
      stream.once('close', () => {
        live.delete(opened);
        controller.abort();
      });
      return controller.signal;
    },
    end: ({ hash }) => endWhere((principal) => principal.hash === hash),
    endProgram: (token) =>
      endWhere((principal) => principal.kind === 'program' && principal.program.id === token),
    endSessions: () => endWhere((principal) => principal.kind === 'session'),
    endAll: () => endWhere(() => true),
  };
}
