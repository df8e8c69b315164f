// One link of a chain of proof: something that must be so, and whether it is.

export interface ProofStep {
  readonly what: string
  readonly holds: boolean
  /** Worth knowing about it. */
  readonly note?: string
}
