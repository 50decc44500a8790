// What either side of the comparison brings to its sockets.
import type { UserFacingSocketConfig, WASocket } from '@whiskeysockets/baileys';

export interface ArmKeys {
  config(url: string): UserFacingSocketConfig;
  attach(socket: WASocket): void;
  send(socket: WASocket, chat: string, text: string, id: string): Promise<unknown>;
  commits(): number;
}
