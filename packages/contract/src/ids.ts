// Creates and parses every id in Relay. A branded id cannot be passed in place of another kind, and a string from
// outside becomes an id only through its parser.
import { z } from 'zod';

declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** A linked WhatsApp identity. The first column of every key; each cell assigns its own range. */
export type AccountId = Branded<number, 'account'>;
/** A person that accounts belong to. */
export type OwnerId = Branded<number, 'owner'>;
/** The person whose home this is: the owner whose token is a file of the home. */
export const HOME_OWNER = 1 as OwnerId;
export type InstanceId = Branded<string, 'instance'>;
export type ContactId = Branded<string, 'contact'>;
export type ChatId = Branded<string, 'chat'>;
export type GrantId = Branded<string, 'grant'>;
export type PermitId = Branded<string, 'permit'>;
export type OutboxId = Branded<string, 'outbox'>;
export type ApprovalId = Branded<string, 'approval'>;
/** An agent's context with one person. */
export type SessionId = Branded<string, 'session'>;
export type ScheduleId = Branded<string, 'schedule'>;
export type RunId = Branded<string, 'run'>;
/** A request to the assistant in an observed group, made by its name. */
export type RequestId = Branded<string, 'request'>;
export type DigestId = Branded<string, 'digest'>;
export type TokenId = Branded<string, 'token'>;
/** A phone or computer that signs in with a passkey from outside. */
export type DeviceId = Branded<string, 'device'>;
export type WebhookId = Branded<string, 'webhook'>;
export type NotificationId = Branded<string, 'notification'>;
/** A browser that receives notifications. */
export type PushDeviceId = Branded<string, 'push device'>;
/** One delivery of an event to a webhook, or of a notification to one place. */
export type DeliveryId = Branded<string, 'delivery'>;
/** A photo, voice message, video or document: received, uploaded or sent. */
export type MediaId = Branded<string, 'media'>;
/** WhatsApp's id of a message. Chosen by the sender, unique only within chat and sender. */
export type MessageId = Branded<string, 'message'>;

const uuid = z.guid();
const parse = <Id extends string>(value: string): Id => uuid.parse(value) as Id;

export const instanceId = (value: string): InstanceId => parse<InstanceId>(value);
export const contactId = (value: string): ContactId => parse<ContactId>(value);
export const chatId = (value: string): ChatId => parse<ChatId>(value);
export const permitId = (value: string): PermitId => parse<PermitId>(value);
export const outboxId = (value: string): OutboxId => parse<OutboxId>(value);
export const approvalId = (value: string): ApprovalId => parse<ApprovalId>(value);
export const sessionId = (value: string): SessionId => parse<SessionId>(value);
export const scheduleId = (value: string): ScheduleId => parse<ScheduleId>(value);
export const grantId = (value: string): GrantId => parse<GrantId>(value);
export const runId = (value: string): RunId => parse<RunId>(value);
export const tokenId = (value: string): TokenId => parse<TokenId>(value);
export const mediaId = (value: string): MediaId => parse<MediaId>(value);
export const deviceId = (value: string): DeviceId => parse<DeviceId>(value);
