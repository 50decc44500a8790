// The exports of `relay-agent/client`: the build makes one module and one file of types from here.
// biome-ignore-all lint/performance/noBarrelFile: whoever installs the package imports from one place
export { type ErrorCode, RelayApiError, RelayConnectionError } from './api-error.ts';
export type { RelayErrorCode } from './codes.ts';
export {
  type EventStreamOptions,
  streamEvents,
  streamV1Events,
  type V1StreamItem,
  type V1StreamOptions,
} from './event-stream.ts';
export type { components, paths } from './openapi.ts';
export { type QrStreamCallbacks, streamWhatsAppQR } from './qr-stream.ts';
export {
  createRelayClient,
  type RelayClient,
  type RelayClientOptions,
  type ToolCallOptions,
  type ToolCalls,
} from './relay-client.ts';
export type { Happened, LiveEvent, StreamOpened } from './sse.ts';
export type { ToolName, Tools } from './tools.ts';
export type { V1Client } from './v1.ts';
export {
  RelayWebhookError,
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
} from './webhook.ts';
export type { WebhookEvent } from './webhook-event.ts';
