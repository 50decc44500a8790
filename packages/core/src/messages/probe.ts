// The words of the message to oneself that proves the wire. Whoever finds them in the owner's own chat knows that it was
// proven before: do not change them lightly. Pure.
export const PROBE_TEXT = 'Relay is connected. This message to yourself shows that sending works.';
