// A scenario: something that is simulated from a seed, and fails when a promise is broken.

export interface Scenario {
  /** What it promises, in a line. */
  promise: string
  /** The figures of one run, to be summed up. Throws when the promise is broken. */
  run(seed: string): Promise<Record<string, number | string>>
}
