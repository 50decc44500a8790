// The time of everything in the fixtures of this folder.
export const AT = '2026-11-15T02:00:00.000Z';
