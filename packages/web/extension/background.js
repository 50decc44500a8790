// Between the two tabs. It keeps nothing, has no access to other sites, and talks to no server.
const WHATSAPP = 'https://web.whatsapp.com';

chrome.action.onClicked.addListener((tab) => {
  chrome.scripting.executeScript({ target: { tabId: tab.id }, files: ['relay.js'] });
});

chrome.runtime.onMessage.addListener((message, sender) => {
  if (message.kind === 'ask') {
    const from = { tab: sender.tab.id, origin: sender.origin };
    ask(message.request, from).catch((error) => answer(from.tab, { error: String(error) }));
  }
  if (message.kind === 'signed' && sender.origin === WHATSAPP) {
    const { attempt, assertion, error, tab } = message;
    answer(tab, { attempt, assertion, error });
  }
});

async function ask(request, from) {
  const { id: tabId } = await openWhatsApp();
  await chrome.scripting.executeScript({ target: { tabId }, files: ['whatsapp.js'] });
  await chrome.tabs.sendMessage(tabId, { kind: 'sign', request, from });
}

async function answer(tab, message) {
  await chrome.tabs.sendMessage(tab, { kind: 'answer', ...message });
  await show(tab);
}

/** A tab of WhatsApp Web, in front: browsers offer a passkey only in a visible one. */
async function openWhatsApp() {
  const [open] = await chrome.tabs.query({ url: `${WHATSAPP}/*` });
  const { id } = open ?? (await chrome.tabs.create({ url: `${WHATSAPP}/` }));
  await show(id);
  for (;;) {
    const tab = await chrome.tabs.get(id);
    if (tab.status === 'complete' && tab.url?.startsWith(WHATSAPP)) return tab;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function show(tab) {
  const { windowId } = await chrome.tabs.update(tab, { active: true });
  await chrome.windows.update(windowId, { focused: true });
}
