// The nonce that the page was served with: what Mantine writes into the page as styles carries it, and nothing else
// may be written there.

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

export const styleNonce = (): string => nonce;

/** By this name the lock of the page's scrolling, behind dialogs, finds it. */
Object.assign(globalThis, { __webpack_nonce__: nonce });
