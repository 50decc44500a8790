// Listens for the server's pulse: pings it, measures the answer, and calls a line deaf on which nothing
// at all came although an answer was due. Invariant: silent by itself once stopped.
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import type { Health } from './health.ts';
import type { Timings } from './timings.ts';

const PING: BinaryNode = {
  tag: 'iq',
  attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'w:p' },
  content: [{ tag: 'ping', attrs: {} }],
};

export interface PulseDeps {
  readonly socket: WASocket;
  readonly health: Health;
  readonly timings: Timings;
  readonly onDeaf: () => void;
}

export function watchPulse({ health, onDeaf, socket, timings }: PulseDeps): () => void {
  let heard = 0;
  let stopped = false;
  let timer: NodeJS.Timeout;
  const onFrame = () => {
    heard += 1;
    health.heard();
  };
  const ping = () => {
    const before = heard;
    const start = performance.now();
    socket.query({ ...PING, attrs: { ...PING.attrs } }, timings.deafMs).then(
      (answer: unknown) => {
        if (answer !== undefined) health.pingMs = Math.round(performance.now() - start);
      },
      () => undefined,
    );
    timer = setTimeout(() => {
      if (stopped) return;
      if (heard === before) onDeaf();
      else timer = setTimeout(ping, Math.max(0, timings.pingMs - timings.deafMs));
    }, timings.deafMs);
  };
  const onLogin = ({ attrs }: BinaryNode) => health.toldTime(Number(attrs.t));
  socket.ws.on('frame', onFrame);
  socket.ws.on('CB:success', onLogin);
  timer = setTimeout(ping, timings.pingMs);
  return () => {
    stopped = true;
    clearTimeout(timer);
    socket.ws.off('frame', onFrame);
    socket.ws.off('CB:success', onLogin);
  };
}
