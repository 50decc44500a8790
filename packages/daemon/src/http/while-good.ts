// What a program keeps open, it keeps open as long as its token is good: it ends at once when the token is
// rotated or revoked here, and at the next look when it ran out or was changed by other means.
import type { Writable } from 'node:stream';
import type { Authenticator } from './authenticate.ts';
import type { Limits } from './limits.ts';
import type { Principal } from './principal.ts';
import type { Streams } from './streams.ts';

export interface WhileGood {
  readonly streams: Streams;
  readonly authenticator: Authenticator;
  readonly limits: Limits;
}

/** `cut` ends it so that whoever reads can tell it from an answer that is complete. */
export function whileGood(
  { streams, authenticator, limits }: WhileGood,
  principal: Principal,
  stream: Writable,
  cut: () => void,
): void {
  const ended = streams.open(principal, stream);
  const look = () => {
    authenticator.holds(principal).then(
      (good) => {
        if (!good) cut();
      },
      // Nobody could say; the next look will.
      () => {},
    );
  };
  const looking = setInterval(look, limits.pollMs);
  ended.addEventListener('abort', () => {
    clearInterval(looking);
    cut();
  });
  // It may have ended between the guard and here.
  look();
}
