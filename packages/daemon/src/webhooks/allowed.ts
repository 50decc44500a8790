// Places of the owner's own network that webhooks may lead to, as the egress guard writes addresses: a name
// never lets anything in, except this machine's own.

export const allowedPlaces = (written: readonly string[]): string[] =>
  written.flatMap((place) => {
    const [, port] = /^localhost:(\d+)$/i.exec(place) ?? [];
    if (port !== undefined) return [`127.0.0.1:${port}`, `::1:${port}`];
    return [place.replace(/^\[(.+)\]:/, '$1:').toLowerCase()];
  });
