// Writes down which verb was called, so that a test can say that none was.
export type Recorded = <Given extends unknown[], Made>(
  name: string,
  verb: (...given: Given) => Made,
) => (...given: Given) => Made;
