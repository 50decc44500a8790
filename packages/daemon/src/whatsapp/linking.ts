// Linking a new device: QR codes one after the other or one code to type, and what the phone says then.
// Invariant: a passkey request ends it at once; a new code would only lead to the same request.
import type { LinkMethod } from '@relay/core/ports/transport';
import type { WASocket } from '@whiskeysockets/baileys';
import type { LinkBoard } from './link.ts';

export interface LinkingDeps {
  readonly socket: WASocket;
  readonly board: LinkBoard;
  readonly method: LinkMethod;
  /** How long one QR code is shown; null leaves it to Baileys. */
  readonly qrMs: number | null;
  readonly now: () => Date;
  readonly onPasskey: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** Baileys' own: the first code stays longer than each that follows. */
const FIRST_QR_MS = 60_000;
const LATER_QR_MS = 20_000;

/** Gives back whether a code has been offered so far. */
export function followLinking(deps: LinkingDeps): () => boolean {
  const { board, method, now, onFailure, onPasskey, qrMs, socket } = deps;
  let offered = false;
  let asked = false;
  let scanned = false;
  const askForCode = async (phone: string) => {
    asked = true;
    board.enter('pairing_code_ready', { pairingCode: await socket.requestPairingCode(phone) });
  };
  const onScanned = () => {
    scanned = true;
    board.enter('scanned');
  };
  socket.ev.on('connection.update', ({ isNewLogin, qr }) => {
    if (isNewLogin) onScanned();
    // Baileys goes on making codes after one was used.
    if (!qr || scanned) return;
    const shownMs = qrMs ?? (offered ? LATER_QR_MS : FIRST_QR_MS);
    offered = true;
    if (method.kind === 'qr') {
      board.enter('qr_ready', { qr, qrExpiresAt: new Date(now().getTime() + shownMs) });
    } else if (!asked) askForCode(method.phone).catch(onFailure);
  });
  // The phone answers a typed code with its half of a secret: from here on it only has to confirm.
  socket.ws.on('CB:notification,type:link_code_companion_reg', onScanned);
  socket.ws.on('CB:notification,type:passkey_prologue_request', onPasskey);
  return () => offered;
}
