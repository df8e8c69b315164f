// A scenario: something that is simulated from a seed, and fails when a promise is broken.

/** What the command line says beyond the seeds; each scenario reads what it knows. */
export interface ScenarioOptions {
  peers?: string
  minutes?: string
  churn?: string
  twice?: boolean
  years?: string
  stores?: boolean
  copies?: string
  rules?: string
  messages?: string
  large?: boolean
  places?: boolean
  pages?: string
  liars?: string
  forged?: string
  slowness?: string
  lookups?: string
  log?: string
}

export interface Scenario {
  /** What it promises, in a line. */
  promise: string
  /** Of its own, as its help shows them. */
  readonly options?: string
  /** How many seeds are run when none are asked for; 200 if it does not say. */
  seedsByDefault?: number
  /** The figures of one run, to be summed up. Throws when the promise is broken. */
  run(seed: string, options?: ScenarioOptions): Promise<Record<string, number | string>>
}
