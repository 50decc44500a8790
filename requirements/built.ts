// The requirements that are built. Add an id here in the commit that builds it, together with the
// test that cites it: from then on the build fails if that test goes missing or does not pass.
export const BUILT: readonly string[] = [];
