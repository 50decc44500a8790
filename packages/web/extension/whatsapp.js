// In the tab of WhatsApp Web: says who asks for what, and uses the passkey only after the owner confirmed that.
(() => {
  if (globalThis.isRelaySigner) return;
  globalThis.isRelaySigner = true;
  let panel;

  chrome.runtime.onMessage.addListener(({ kind, request, from }) => {
    if (kind !== 'sign') return;
    panel?.remove();
    const account = request.phone
      ? `+${request.phone}`
      : 'the account whose phone scanned its code';
    panel = draw(
      `Link ${account} to Relay at ${from.origin}?`,
      'The person who runs that Relay can then read and send your messages. Confirm only if you started this yourself, a moment ago.',
    );
    const [confirm, cancel] = panel.shadowRoot.querySelectorAll('button');
    const finish = (result) => {
      panel.remove();
      const attempt = request.attempt;
      chrome.runtime.sendMessage({ kind: 'signed', tab: from.tab, attempt, ...result });
    };
    confirm.addEventListener('click', ({ isTrusted }) => {
      if (!isTrusted) return;
      confirm.disabled = true;
      sign(request.options).then(
        (assertion) => finish({ assertion }),
        (error) => finish({ error: `${error.name}: ${error.message}` }),
      );
    });
    cancel.addEventListener('click', () => finish({ error: 'cancelled' }));
    cancel.focus();
  });

  async function sign(options) {
    if (options.rpId !== 'whatsapp.com') throw new Error('This is no request of WhatsApp.');
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    const credential = await navigator.credentials.get({ publicKey });
    return credential.toJSON();
  }

  function draw(question, explanation) {
    const host = document.createElement('relay-passkey');
    const root = host.attachShadow({ mode: 'open' });
    const style = document.createElement('style');
    style.textContent = `
      div { position: fixed; inset: 24px 24px auto auto; z-index: 2147483647; width: 360px;
        padding: 20px; border-radius: 12px; background: #fff; color: #111;
        box-shadow: 0 8px 40px #0006; font: 15px/1.5 system-ui, sans-serif; }
      h1 { margin: 0 0 8px; font-size: 17px; overflow-wrap: anywhere; }
      button { margin: 4px 8px 0 0; padding: 8px 16px; font: inherit; cursor: pointer; }`;
    const box = document.createElement('div');
    box.setAttribute('role', 'alertdialog');
    box.setAttribute('aria-label', question);
    const elements = { h1: question, p: explanation };
    for (const [tag, text] of Object.entries(elements)) {
      box.appendChild(document.createElement(tag)).textContent = text;
    }
    for (const label of ['Confirm with passkey', 'Cancel']) {
      box.appendChild(document.createElement('button')).textContent = label;
    }
    root.append(style, box);
    document.documentElement.appendChild(host);
    return host;
  }
})();
