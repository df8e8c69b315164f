// What a replayed page tells the frame around it, by postMessage.
//
// Anybody's script runs in that page, so whatever it says is a claim: checked for form, cut to size, and never trusted to
// say what is being shown (see frame.ts).
//
// Two dialects. wombat's own: { wb_type: 'load' | 'replace-url' | 'title', url, ts, title }. Ours, sent by the script that
// src/replay puts beside wombat: { polyhistor: 'page', url?, timestamp?, title?, height?, earliest?, latest?, missing?, isMissing? },
// where earliest and latest are the 14-digit times of the embedded parts, missing are the parts that the archive lacks, isMissing
// says that the page itself is one, and height is that of the document in pixels. Frames within the page say 'parts' instead of
// 'page', and only what concerns parts.

export interface PageMessage {
  /** The archived URL of the document that is in the frame now. */
  readonly url?: string
  /** 14 digits. */
  readonly timestamp?: string
  readonly title?: string
  readonly height?: number
  readonly earliestMs?: number
  readonly latestMs?: number
  /** Archived URLs of parts. */
  readonly missing?: readonly string[]
  /** The archive has no such page. */
  readonly isMissing?: boolean
}

const titleCharsMax = 200
const urlCharsMax = 8_192
const missingMax = 200

export function pageMessageOf(data: unknown): PageMessage | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const message = data as Record<string, unknown>
  if (message.polyhistor === 'parts') return { ...given('missing', urlsOf(message.missing)) }
  if (message.polyhistor !== 'page' && typeof message.wb_type !== 'string') return undefined
  return {
    ...given('url', urlOf(message.url)),
    ...given('timestamp', digitsOf(message.timestamp ?? message.ts)),
    ...given('title', typeof message.title === 'string' ? message.title.slice(0, titleCharsMax) : undefined),
    ...given('height', numberOf(message.height)),
    ...given('earliestMs', msOf(digitsOf(message.earliest))),
    ...given('latestMs', msOf(digitsOf(message.latest))),
    ...given('missing', urlsOf(message.missing)),
    ...given('isMissing', message.isMissing === true ? true : undefined),
  }
}

/** Milliseconds of 14 digits. */
export function msOf(digits: string | undefined): number | undefined {
  if (digits === undefined) return undefined
  const ms = Date.parse(digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6Z'))
  return Number.isNaN(ms) ? undefined : ms
}

function given<Name extends string, Value>(name: Name, value: Value | undefined): { [key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [key in Name]?: Value })
}

function urlOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > urlCharsMax) return undefined
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  url.hash = ''
  return url.href
}

function urlsOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.slice(0, missingMax).flatMap((url) => urlOf(url) ?? [])
}

function digitsOf(value: unknown): string | undefined {
  const digits = typeof value === 'string' ? value : ''
  return /^\d{14}$/.test(digits) ? digits : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
