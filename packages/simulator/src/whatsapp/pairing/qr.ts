// What a phone's camera reads from a companion's QR code.
// Invariant: the text is `[address#]ref,noise key,identity key,adv secret[,platform]`.
export interface QrText {
  ref: string;
  identity: Buffer;
  advSecret: Buffer;
}

export function readQr(text: string): QrText {
  const [ref, , identity, advSecret] = text.slice(text.indexOf('#') + 1).split(',');
  if (!ref || !identity || !advSecret) throw new Error('this is no WhatsApp QR code');
  return {
    ref,
    identity: Buffer.from(identity, 'base64'),
    advSecret: Buffer.from(advSecret, 'base64'),
  };
}
