// Records which operation was called, so that a test can check that none was.
export type Recorded = <Given extends unknown[], Made>(
  name: string,
  verb: (...given: Given) => Made,
) => (...given: Given) => Made;
