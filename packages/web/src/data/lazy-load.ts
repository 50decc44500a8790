// Loads parts of the console on demand. Invariant: a part requested while Relay is unreachable loads once Relay is
// back; the page around it stays, including anything typed there.

const EVERY_MS = 1_000;

/** Throws if Relay answers but cannot deliver the part: this page then comes from another version of Relay. */
export async function loadWhenReachable<Part>(load: () => Promise<Part>): Promise<Part> {
  let isAgain = false;
  for (;;) {
    try {
      return await load();
    } catch (error) {
      const isAnswering = await isDaemonAnswering();
      if (isAnswering && isAgain) throw error;
      isAgain = isAnswering;
      forgetFailedStyles();
      if (!isAnswering) await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }
}

const isDaemonAnswering = (): Promise<boolean> =>
  fetch('/', { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

/** A failed stylesheet left in the page counts as loaded, and the part would then come without its styles. */
function forgetFailedStyles(): void {
  for (const link of document.head.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'))
    if (link.sheet === null) link.remove();
}
