// What each side of the comparison provides for its sockets.
import type { UserFacingSocketConfig, WASocket } from '@whiskeysockets/baileys';

export interface ArmKeys {
  /** Its number in the store; 0 if there is none. */
  readonly account: number;
  config(url: string): UserFacingSocketConfig;
  attach(socket: WASocket): void;
  send(socket: WASocket, chat: string, text: string, id: string): Promise<unknown>;
  commits(): number;
}
