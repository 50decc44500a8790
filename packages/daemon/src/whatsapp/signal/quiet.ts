// Keeps libsignal from printing: it writes whole sessions, private keys included, to the console.
// Invariant: exactly libsignal's own lines are dropped; everybody else's output passes.

const LIBSIGNAL =
  /^(Closing (open )?session|Opening session|Removing old closed session|Session already|Decrypted message with closed session|Failed to decrypt message with any|Session error:|Migrating session|V1 session storage migration|Unhandled bucket type|WARNING: Expected pubkey of length 33)/;

let silenced = false;

export function silenceLibsignal(): void {
  if (silenced) return;
  silenced = true;
  // Test runners put a console of their own in place, so it is looked up now and not imported.
  const output = globalThis.console;
  for (const method of ['info', 'warn', 'error'] as const) {
    const print = output[method].bind(output);
    output[method] = (...args: unknown[]) => {
      if (typeof args[0] === 'string' && LIBSIGNAL.test(args[0])) return;
      print(...args);
    };
  }
}
