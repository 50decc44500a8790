// A QR code as seed 000 serves it: a PNG in a data URL. The last one is kept, since every reader of the
// stream asks for the same.

export type QrPicture = (text: string) => Promise<string>;

export function createQrPicture(): QrPicture {
  let last: { text: string; url: Promise<string> } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, url: draw(text) };
    return last.url;
  };
}

async function draw(text: string): Promise<string> {
  // Loaded when the first code is drawn: an account is linked once, the daemon started often.
  const { default: qrcode } = await import('qrcode');
  return qrcode.toDataURL(text, { type: 'image/png', margin: 4, scale: 6 });
}
