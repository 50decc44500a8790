// The version of everything that is published together. The build refuses to run when the
// package's own version differs.
export const VERSION = '0.1.0';
