// Retry-After (RFC 9110, section 10.2.3): seconds, or a date in any of the three forms that HTTP has had.

const secondsPattern = /^\d+$/
const datePattern =
  /^(?:[A-Z][a-z]{2,8}, ?\d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/

/** How long to wait from now on; undefined when the field makes no sense. A date that has passed is 0. */
export function retryAfterMs(field: string, nowMs: number): number | undefined {
  const text = field.trim()
  if (secondsPattern.test(text)) return Math.min(Number(text) * 1_000, Number.MAX_SAFE_INTEGER)
  if (!datePattern.test(text)) return undefined
  // The oldest form names no zone, and means UTC.
  const atMs = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}
