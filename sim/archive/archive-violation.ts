// A promise of the archive that a simulated run has broken.

export type ArchiveRule =
  | 'lost'
  | 'acknowledged too early'
  | 'dropped too early'
  | 'left too early'
  | 'not durable'
  | 'not readable'
  | 'not repaired'
  | 'came back'
  | 'not taken down'
  | 'not settled'

export class ArchiveViolation extends Error {
  readonly rule: ArchiveRule

  constructor(rule: ArchiveRule, detail: string, atMs: number) {
    super(`${rule}: ${detail} (at ${(atMs / 60_000).toFixed(2)} min)`)
    this.name = 'ArchiveViolation'
    this.rule = rule
  }
}
