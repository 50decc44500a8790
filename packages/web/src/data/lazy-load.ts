// The parts of the console that are fetched when they are first wanted. Invariant: one that is wanted while Relay does
// not answer comes when it is back; the page around it stays, and so does what somebody has typed there.

const EVERY_MS = 1_000;

/** What cannot be had of a Relay that answers is thrown: it is another one than this page came from. */
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

/** One that stands in the page counts as loaded, and a part would come without its styles. */
function forgetFailedStyles(): void {
  for (const link of document.head.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'))
    if (link.sheet === null) link.remove();
}
