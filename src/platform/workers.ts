// Work for other threads: plain data in, plain data out.
//
// A job that throws rejects with an Error of the same message; the thread goes on. A thread that dies fails the jobs it
// had, and another takes its place.

export interface Workers<Input, Output> {
  /** Buffers named in `transfer` are given away: they must not be used afterwards. */
  run(input: Input, transfer?: readonly ArrayBuffer[]): Promise<Output>
  close(): Promise<void>
}

/** No threads: the work is done where it is asked for. For simulations, and for work too small to send away. */
export function inlineWorkers<Input, Output>(
  work: (input: Input) => Output | Promise<Output>,
): Workers<Input, Output> {
  return {
    run: async (input) => work(input),
    close: async () => {},
  }
}
