// A local webhook receiver: keeps requests, verifies signatures as receivers do, and answers as the test says. It also
// counts connections, for addresses that must never be reached.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebhookBody, webhookBodySchema } from '@relay/contract/webhooks/events';
import { Webhook } from 'standardwebhooks';

export interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export const answering =
  (status: number): Answer =>
  (_, response) =>
    void response.writeHead(status).end();

export interface Receiver {
  readonly place: string;
  readonly port: number;
  readonly url: string;
  readonly received: Received[];
  /** Number of connections, with or without a request. */
  readonly connections: () => number;
  /** The received bodies, each validated against the documented format. */
  bodies(): WebhookBody[];
  answer: Answer;
  close(): void;
}

export async function openReceiver(host = '127.0.0.2', at = 0): Promise<Receiver> {
  const received: Received[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    received.push({ headers: request.headers as Record<string, string>, body });
    receiver.answer(request, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(at, host, resolve));
  const { port } = server.address() as AddressInfo;
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const receiver: Receiver = {
    place,
    port,
    url: `http://${place}/hook`,
    received,
    connections: () => connections,
    bodies: () => received.map(({ body }) => webhookBodySchema.parse(JSON.parse(body))),
    answer: answering(204),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}

/** Verifies as a receiver does; throws when it was not signed with this secret. */
export const verified = (secret: string, { headers, body }: Received): unknown =>
  new Webhook(secret).verify(body, headers);
