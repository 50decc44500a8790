// Seven hues, each with one meaning; `data-hue` on an element sets its three colours.

/** you: waits for the owner · agent: Relay moves · them: waits for others · parked: still · ok: arrived · held: refused · bad: broken */
export type Hue = 'you' | 'agent' | 'them' | 'parked' | 'ok' | 'held' | 'bad';
