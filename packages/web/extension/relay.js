// In a page of Relay's console: passes its request to the extension, and the answer back. It runs on this machine's own
// addresses, and on another page only after the owner clicked the extension's button there.
(() => {
  if (globalThis.isRelayBridge) return;
  globalThis.isRelayBridge = true;

  const tellPage = (message) =>
    window.postMessage({ relay: 'link-passkey', from: 'extension', ...message }, location.origin);

  window.addEventListener('message', ({ data, origin, source }) => {
    if (source !== window || origin !== location.origin) return;
    if (data?.relay !== 'link-passkey' || data.from !== 'page') return;
    if (data.kind === 'ping') tellPage({ kind: 'here' });
    if (data.kind === 'ask') chrome.runtime.sendMessage({ kind: 'ask', request: data.request });
  });
  chrome.runtime.onMessage.addListener(({ kind, attempt, assertion, error }) => {
    if (kind === 'answer') tellPage({ kind, attempt, assertion, error });
  });
  tellPage({ kind: 'here' });
})();
