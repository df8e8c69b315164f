// Planned visits: when a page that is known is fetched again to keep it fresh, and the owner's rules for that.

export type VisitTarget =
  | { readonly kind: 'all' }
  | { readonly kind: 'site'; readonly site: string }
  | { readonly kind: 'url'; readonly url: string }

export interface PlannedVisit {
  readonly url: string
  readonly dueAtMs: number
  readonly visitedAtMs: number | undefined
  readonly intervalMs: number | undefined
  /** In a row. */
  readonly failures: number
  /** `stopped`: by a rule. `under-way`: given out to be fetched. */
  readonly state: 'planned' | 'under-way' | 'stopped'
}

export interface VisitRule {
  readonly target: VisitTarget
  /** undefined: no visits at all. */
  readonly bounds: { readonly minMs: number; readonly maxMs: number } | undefined
}
