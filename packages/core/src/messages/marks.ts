// Kinds of messages that only mark another one: a reaction, a vote, a pin. They say nothing themselves.

export const MARKS: ReadonlySet<string> = new Set([
  'reactionMessage',
  'encReactionMessage',
  'protocolMessage',
  'pollUpdateMessage',
  'pinInChatMessage',
  'keepInChatMessage',
  'unknown',
]);

/** `kind` is WhatsApp's own word for the content. */
export const isMark = (kind: string): boolean => MARKS.has(kind);
