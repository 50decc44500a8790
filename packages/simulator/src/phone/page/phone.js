// The demo's phone page: shows the chats of everybody except the owner, and writes as them. It loads the current state
// and then long-polls for changes. Invariant: text that people wrote becomes text nodes, never markup; the token stays
// in this page.
const $ = (id) => document.getElementById(id);
const KEPT = 'relay-demo-token';
const AGAIN_MS = 1500;

const token = takeToken();
/** What was last shown, and for whom. */
let faces = [];
let current = '';
let shown = '';
/** How many messages of each chat have been seen; all of them in the open chat. */
const seen = new Map();
/** The chosen writer in chats with several writers. */
const writers = new Map();

function takeToken() {
  const given = location.hash.slice(1);
  if (given !== '') {
    sessionStorage.setItem(KEPT, given);
    history.replaceState(null, '', location.pathname);
  }
  return given || sessionStorage.getItem(KEPT) || '';
}

async function call(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.error), { status: response.status });
  return answer;
}

function trouble(sentence) {
  const place = $('trouble');
  if (place.textContent !== sentence) place.textContent = sentence;
  place.hidden = sentence === '';
}

async function follow() {
  let after = 0;
  for (;;) {
    try {
      const view = await call('GET', `/api/view?after=${after}`);
      after = view.revision;
      faces = view.faces;
      current ||= faces[0]?.id ?? '';
      trouble('');
      draw();
    } catch (error) {
      if (error.status === 401) return trouble(error.message);
      trouble('The demo has ended or cannot be reached. This page reconnects automatically.');
      after = 0;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

const element = (tag, given = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), given);
  made.append(...children);
  return made;
};

const initials = (name) =>
  name
    .replace(/^The /, '')
    .split(/[\s,]+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');

function draw() {
  const face = faces.find(({ id }) => id === current);
  if (face === undefined) return;
  seen.set(face.id, face.messages.length);
  drawFaces();
  $('chat').hidden = false;
  if (shown !== face.id) enter(face);
  drawMessages(face);
  drawTyping(face);
}

function drawFaces() {
  const list = $('faces');
  if (list.children.length !== faces.length) {
    list.replaceChildren(...faces.map(faceButton));
  }
  for (const [at, face] of faces.entries()) {
    const button = list.children[at].firstElementChild;
    if (!seen.has(face.id)) seen.set(face.id, face.messages.length);
    const unread = face.messages.length - seen.get(face.id);
    button.setAttribute('aria-current', String(face.id === current));
    const count = button.lastElementChild;
    count.textContent = unread > 0 ? String(unread) : '';
    if (unread > 0) count.append(element('span', { className: 'unseen', textContent: ' new' }));
  }
}

function faceButton(face) {
  const [short = face.name] = face.name.replace(/^The /, '').split(',');
  const name = element('b', { textContent: face.name });
  name.title = face.name;
  if (matchMedia('(max-width: 760px)').matches) name.textContent = short;
  const button = element(
    'button',
    { type: 'button', className: 'face' },
    element('span', { className: 'avatar', textContent: initials(short), ariaHidden: 'true' }),
    element('span', {}, name, element('small', { textContent: face.about })),
    element('span', { className: 'count' }),
  );
  button.addEventListener('click', () => {
    current = face.id;
    draw();
    // On a phone the keyboard would cover the chat.
    if (matchMedia('(hover: hover)').matches) $('text').focus();
  });
  return element('li', {}, button);
}

/** Switches to another chat and removes everything of the previous one. */
function enter(face) {
  shown = face.id;
  $('messages').replaceChildren();
  $('messages').dataset.last = '';
  $('chat-title').textContent = face.title;
  $('chat-avatar').textContent = initials(face.title);
  $('hint').textContent = face.hint;
  $('tries').replaceChildren(...face.tries.map(tryButton), ...(face.files ?? []).map(fileButton));
  const several = face.writers.length > 1;
  $('as').hidden = !several;
  $('writer').replaceChildren(
    ...face.writers.map(({ phone, name }) =>
      element('option', { value: phone, textContent: name }),
    ),
  );
  $('writer').value = writerOf(face);
  $('chat-as').textContent = several ? face.about : `You are ${face.name}`;
  $('text-label').textContent = `Message to ${face.title}`;
}

const writerOf = (face) => writers.get(face.id) ?? face.writers[0].phone;

function tryButton({ text, as }) {
  const button = element('button', { type: 'button', textContent: text });
  button.addEventListener('click', () => {
    if (as !== undefined) writeAs(as);
    void say(text);
  });
  return button;
}

function fileButton({ label, kind }, file) {
  const button = element('button', {
    type: 'button',
    className: `file ${kind}`,
    textContent: label,
  });
  button.addEventListener('click', () => void send({ file }));
  return button;
}

function writeAs(phone) {
  writers.set(current, phone);
  $('writer').value = phone;
  draw();
}

function drawMessages(face) {
  const list = $('messages');
  const scroll = $('scroll');
  const wasAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 60;
  const isFirst = list.children.length === 0;
  for (const message of face.messages) {
    const known = list.querySelector(`[data-id="${CSS.escape(message.id)}"]`);
    if (known) restate(known, message, face);
    else append(list, message, face, isFirst);
  }
  if (face.messages.length === 0 && isFirst) {
    list.append(element('li', { className: 'none', textContent: 'No messages yet.' }));
  } else if (face.messages.length > 0) list.querySelector('.none')?.remove();
  if (wasAtEnd || isFirst) scroll.scrollTop = scroll.scrollHeight;
}

function append(list, message, face, isFirst) {
  const day = dayOf(new Date(message.at));
  if (list.dataset.last !== day) {
    list.dataset.last = day;
    list.append(element('li', { className: 'day', textContent: day }));
  }
  const bubble = element('li', { className: isFirst ? 'bubble' : 'bubble new' });
  bubble.dataset.id = message.id;
  if (face.writers.length > 1) {
    bubble.append(element('span', { className: 'who', textContent: message.name }));
  } else bubble.append(element('span', { className: 'unseen', textContent: `${message.name}: ` }));
  if (message.media) bubble.append(mediaElement(message, face));
  const words = element('span', { className: 'words', textContent: message.text });
  words.dir = 'auto';
  const time = element('time', { dateTime: message.at, textContent: clock(new Date(message.at)) });
  bubble.append(words, element('span', { className: 'when' }, time));
  list.append(bubble);
  restate(bubble, message, face);
}

/** Shown or played where the page can; otherwise named. */
function mediaElement({ id, media }, face) {
  const place = element('span', { className: 'media', textContent: media.label });
  if (media.shows === null) return place;
  void call('GET', `/api/file?${new URLSearchParams({ face: face.id, id })}`).then(
    ({ url }) => {
      const shown =
        media.shows === 'photo'
          ? element('img', { src: url, alt: media.label })
          : element('audio', { src: url, controls: true, ariaLabel: media.label });
      const scroll = $('scroll');
      const wasAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 60;
      place.replaceChildren(shown);
      if (wasAtEnd) scroll.scrollTop = scroll.scrollHeight;
    },
    () => {},
  );
  return place;
}

/** The side depends on the viewer; the delivery state, reactions and an edited text change. */
function restate(bubble, message, face) {
  const words = bubble.querySelector('.words');
  const text = message.edited ? `${message.text} (edited)` : message.text;
  if (words.textContent !== text) words.textContent = text;
  const emoji = message.reactions.join(' ');
  if ((bubble.querySelector('.reactions')?.textContent ?? '') !== emoji) {
    bubble.querySelector('.reactions')?.remove();
    if (emoji !== '')
      bubble.append(element('span', { className: 'reactions', textContent: emoji }));
  }
  const isMine = message.from === writerOf(face);
  bubble.classList.toggle('mine', isMine);
  const state = isMine ? message.status : '';
  if (bubble.dataset.state === state) return;
  bubble.dataset.state = state;
  const when = bubble.querySelector('.when');
  when.querySelector('.mark')?.remove();
  if (isMine) when.append(ticks(state));
}

const TICK_WORDS = { sent: 'sent', delivered: 'delivered', read: 'read' };
const SVG = 'http://www.w3.org/2000/svg';

function ticks(status) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 17 11');
  svg.setAttribute('class', 'ticks');
  svg.dataset.status = status;
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', status === 'sent' ? 'M4 6l3 3 6-8' : 'M1 6l3 3 6-8M7.5 8l1 1 6-8');
  for (const [name, value] of [
    ['fill', 'none'],
    ['stroke', 'currentColor'],
    ['stroke-width', '1.6'],
    ['stroke-linecap', 'round'],
    ['stroke-linejoin', 'round'],
  ])
    path.setAttribute(name, value);
  svg.append(path);
  const words = element('span', { className: 'unseen', textContent: TICK_WORDS[status] ?? '' });
  return element('span', { className: 'mark' }, svg, words);
}

function drawTyping(face) {
  const place = $('typing');
  const isThere = place.childElementCount > 0;
  if (face.typing === isThere) return;
  if (!face.typing) return place.replaceChildren();
  const dots = element('span', { className: 'dots' }, ...[1, 2, 3].map(() => element('i')));
  dots.setAttribute('aria-hidden', 'true');
  place.replaceChildren(dots, `${face.writers.length > 1 ? 'Somebody' : face.title} is typing`);
  $('scroll').scrollTop = $('scroll').scrollHeight;
}

const clock = (at) =>
  at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hour12: false });

function dayOf(at) {
  const start = (day) => new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime();
  const ago = Math.round((start(new Date()) - start(at)) / 86_400_000);
  if (ago === 0) return 'Today';
  if (ago === 1) return 'Yesterday';
  return at.toLocaleDateString('en', { weekday: 'long', day: 'numeric', month: 'long' });
}

const say = async (text) => text.trim() !== '' && send({ text });

async function send(content) {
  const face = faces.find(({ id }) => id === current);
  if (face === undefined) return false;
  try {
    await call('POST', '/api/messages', { face: face.id, as: writerOf(face), ...content });
    trouble('');
    $('scroll').scrollTop = $('scroll').scrollHeight;
    return true;
  } catch (error) {
    trouble(error.status ? error.message : 'Not sent: the demo cannot be reached.');
    return false;
  }
}

async function submit() {
  const field = $('text');
  const text = field.value;
  if (text.trim() === '') return;
  field.value = '';
  // If sending fails, the typed text is put back.
  if (!(await say(text)) && field.value === '') field.value = text;
}

$('form').addEventListener('submit', (event) => {
  event.preventDefault();
  void submit();
});
$('text').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  void submit();
});
$('writer').addEventListener('change', () => writeAs($('writer').value));
$('console').addEventListener('click', async () => {
  // Opened synchronously, so that the browser attributes it to the click.
  const opened = window.open('about:blank', '_blank');
  try {
    const { url } = await call('POST', '/api/console');
    if (opened === null) location.assign(url);
    else opened.location.replace(url);
  } catch (error) {
    opened?.close();
    trouble(error.status ? error.message : 'The demo cannot be reached.');
  }
});

// Makes the scrolling chat focusable, and new messages are read out.
$('scroll').tabIndex = 0;
$('messages').ariaLive = 'polite';

void follow();
