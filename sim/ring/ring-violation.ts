// A promise of the ring that a simulated run has broken.

export class RingViolation extends Error {
  readonly rule: string
  readonly atMs: number
  readonly events: number

  constructor(rule: string, detail: string, atMs: number, events: number) {
    super(`${rule}: ${detail} (at ${(atMs / 60_000).toFixed(2)} min, event ${events})`)
    this.name = 'RingViolation'
    this.rule = rule
    this.atMs = atMs
    this.events = events
  }
}
