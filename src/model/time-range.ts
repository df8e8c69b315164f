/** From `fromMs` (included) to `toMs` (excluded). */
export interface TimeRange {
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
}
