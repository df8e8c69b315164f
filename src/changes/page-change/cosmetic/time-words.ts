// Time words: how the languages of the web name months, days of the week and spans of time ("3 minutes ago", "vor 3 Minuten",
// "3分钟前"), as the platform's own tables have it.
//
// Made once a thread, when the first is asked for: 70 ms on an idle core and up to 0.7 s on a busy machine, nearly all of it the platform
// loading the tables of 32 languages. What is no word of time here is not thereby content: a page whose language
// is missing is only learned less well.

const languages =
  'en de fr es it pt nl sv da nb fi pl cs sk hu ro bg el ru uk tr ar he fa hi id vi ja zh zh-TW ko th'.split(
    ' ',
  )

const unitSeconds = {
  second: 1,
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
  month: 2_630_000,
  year: 31_557_600,
} as const

type Unit = keyof typeof unitSeconds

/** Numbers that take different plural forms, in one language or another. */
const plurals = [1, 2, 3, 5, 21]

/** Beside the platform's, what sites write by themselves. */
const extraUnits: Readonly<Record<string, Unit>> = {
  sec: 'second',
  secs: 'second',
  min: 'minute',
  mins: 'minute',
  hr: 'hour',
  hrs: 'hour',
  std: 'hour',
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
}

interface TimeWords {
  readonly units: ReadonlyMap<string, number>
  /** "ago", "vor": which make a span of time one that has passed. */
  readonly past: ReadonlySet<string>
  /** Words that are a time by themselves: "yesterday", with the seconds that have passed. */
  readonly days: ReadonlyMap<string, number>
  /** Months, days of the week, "today". */
  readonly names: ReadonlySet<string>
  /** What follows a number in scripts without spaces: "分钟前". */
  readonly suffixes: ReadonlyMap<string, number>
}

let made: TimeWords | undefined

export function timeWords(): TimeWords {
  made ??= makeTimeWords()
  return made
}

/** Seconds that have passed according to a phrase as "3 hours ago", and how coarse it is; undefined when it is none. */
export function ageOf(
  phrase: string,
): { readonly seconds: number; readonly unitSeconds: number } | undefined {
  const { units, past, days, suffixes } = timeWords()
  const lower = phrase.toLowerCase().trim()
  const whole = days.get(lower)
  if (whole !== undefined) return { seconds: whole, unitSeconds: Math.max(whole, 60) }
  const unspaced = /^(\d+)\s*(\D+)$/u.exec(lower)
  const suffix = unspaced === null ? undefined : suffixes.get(unspaced[2]!)
  if (suffix !== undefined) return { seconds: Number(unspaced![1]) * suffix, unitSeconds: suffix }
  const words = lower.match(/\d+|[\p{L}\p{M}]+/gu) ?? []
  if (!words.some((word) => past.has(word))) return undefined
  const unit = words.map((word) => units.get(word)).find((seconds) => seconds !== undefined)
  const numbers = words.filter((word) => /^\d/.test(word))
  if (unit === undefined || numbers.length > 1) return undefined
  return { seconds: Number(numbers[0] ?? 1) * unit, unitSeconds: unit }
}

function makeTimeWords(): TimeWords {
  const units = new Map<string, number>()
  const past = new Set<string>()
  const days = new Map<string, number>()
  const names = new Set<string>()
  const suffixes = new Map<string, number>()
  for (const language of languages) {
    addSpans(language, { units, past, suffixes })
    addDays(language, days)
    addNames(language, names)
  }
  for (const [word, unit] of Object.entries(extraUnits)) units.set(word, unitSeconds[unit])
  // French "il y a" has the short form of "année" in it.
  for (const word of past) units.delete(word)
  return { units, past, days, names, suffixes }
}

function addSpans(
  language: string,
  found: { units: Map<string, number>; past: Set<string>; suffixes: Map<string, number> },
): void {
  for (const style of ['long', 'short'] as const) {
    const format = new Intl.RelativeTimeFormat(language, { numeric: 'always', style })
    const byUnit = Object.entries(unitSeconds).map(([unit, seconds]) => {
      const words = new Set<string>()
      for (const count of plurals) {
        const literals = format.formatToParts(-count, unit as Unit).filter((part) => part.type === 'literal')
        for (const { value } of literals) for (const word of wordsOf(value)) words.add(word)
        const last = literals.at(-1)?.value.trim().toLowerCase() ?? ''
        if (literals.length === 1 && /[\u0e00-\u0e7f\u3040-\u9fff\uac00-\ud7af]/.test(last))
          found.suffixes.set(last, seconds)
      }
      return { seconds, words }
    })
    const shared = byUnit.map(({ words }) => words).reduce((one, other) => one.intersection(other))
    for (const word of shared) found.past.add(word)
    for (const { seconds, words } of byUnit)
      for (const word of words.difference(shared)) found.units.set(word, seconds)
  }
}

function addDays(language: string, days: Map<string, number>): void {
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  for (const unit of ['day', 'week', 'month', 'year'] as const) {
    days.set(format.format(-1, unit).toLowerCase(), unitSeconds[unit])
  }
  days.set(format.format(0, 'second').toLowerCase(), 0)
}

function addNames(language: string, names: Set<string>): void {
  for (const width of ['long', 'short'] as const) {
    const month = new Intl.DateTimeFormat(language, { month: width, day: 'numeric', timeZone: 'UTC' })
    const weekday = new Intl.DateTimeFormat(language, { weekday: width, timeZone: 'UTC' })
    for (let index = 0; index < 12; index++) {
      const named = month.formatToParts(Date.UTC(2024, index, 1 + index)).find(({ type }) => type === 'month')
      for (const word of wordsOf(named?.value ?? '')) if (!/^\d/.test(word)) names.add(word)
      for (const word of wordsOf(weekday.format(Date.UTC(2024, 0, 1 + index)))) names.add(word)
    }
  }
  const clock = new Intl.DateTimeFormat(language, { hour: 'numeric', hour12: true, timeZone: 'UTC' })
  for (const hour of [3, 15]) {
    const period = clock.formatToParts(Date.UTC(2024, 0, 1, hour)).find(({ type }) => type === 'dayPeriod')
    // "a. m." would make a time of every "a".
    const word = period?.value.toLowerCase() ?? ''
    if (/^[a-z]{2}$|^[^\x00-\x7f. ]+$/.test(word)) names.add(word)
  }
  const today = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(0, 'day')
  for (const word of wordsOf(today)) names.add(word)
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []
}
