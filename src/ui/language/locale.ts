// Locale: how numbers, amounts and times are written in a language of the pages. Its formatters are made once.
//
// English is written as the pages have always had it: days before months, and months cut to three letters.

export const languages = ['en', 'de'] as const

export type Language = (typeof languages)[number]

export interface Locale {
  readonly language: Language
  count(count: number): string
  /** `15 kB`, `1.2 GB`: two digits that matter. */
  bytes(bytes: number): string
  /** With so many digits behind the point. */
  decimal(value: number, digits: number): string
  /** With the digits that it has. */
  number(value: number): string
  /** Digits that were cut to size, as `String` writes them. */
  digits(written: string): string
  /** The largest unit that fits: `3 hours`. */
  duration(ms: number): string
  /** `3 March 2020` */
  day(ms: number): string
  /** `3 Mar 2020` */
  shortDay(ms: number): string
  /** `3 March`, from 0 for January. */
  dayOfMonth(month: number, day: number): string
  month(month: number): string
  /** From 0 for Monday. */
  weekDay(day: number): string
  languageName(code: string): string
  plural(count: number): Intl.LDMLPluralRule
  /** What becomes of every text of the catalogue; for tests, which mark them. */
  readonly mark?: (text: string) => string
}

const dayMs = 86_400_000
const durationUnits = [
  ['year', 365.25 * dayMs],
  ['month', 30.4375 * dayMs],
  ['day', dayMs],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const
const byteUnits = ['kB', 'MB', 'GB', 'TB', 'PB']

interface Words {
  readonly lessThanMinute: string
  readonly byte: string
  readonly bytes: string
  shortDay(parts: { readonly day: number; readonly month: string; readonly year: number }, ms: number): string
}

function localeOf(language: Language, dates: string, words: Words): Locale {
  const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 })
  const plain = new Intl.NumberFormat(language, { maximumSignificantDigits: 15 })
  const point = plain.format(0.5).replace(/[05]/g, '')
  const decimals = [0, 1, 2].map(
    (digits) =>
      new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  )
  const units = durationUnits.map(([unit, unitMs]) => ({
    unitMs,
    format: new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }),
  }))
  const dateFormat = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
    new Intl.DateTimeFormat(dates, { ...options, timeZone: 'UTC', calendar: 'gregory' })
  const dayOfYear = dateFormat({ day: 'numeric', month: 'long' })
  const monthFormat = dateFormat({ month: 'long' })
  const months = Array.from({ length: 12 }, (_, month) => monthFormat.format(Date.UTC(2024, month, 1)))
  // 1 January 2024 was a Monday.
  const weekDayFormat = dateFormat({ weekday: 'short' })
  const weekDays = Array.from({ length: 7 }, (_, day) => weekDayFormat.format(Date.UTC(2024, 0, 1 + day)))
  const names = new Intl.DisplayNames(language, { type: 'language', fallback: 'code' })
  const plurals = new Intl.PluralRules(language)
  // Most counts are small, and the same in all languages.
  const count = (amount: number): string => {
    const rounded = Math.round(amount)
    return rounded >= 0 && rounded < 1_000 ? String(rounded) : whole.format(rounded)
  }
  const days = new Map<number, string>()
  const dayOfMonth = (month: number, day: number): string => {
    const known = days.get(100 * month + day) ?? dayOfYear.format(Date.UTC(2024, month, day))
    days.set(100 * month + day, known)
    return known
  }
  const decimal = (value: number, digits: number): string => decimals[digits]!.format(value)
  return {
    language,
    count,
    decimal,
    digits: (written) => written.replace('.', point),
    number: (value) => plain.format(value),
    bytes: (bytes) => bytesIn(bytes, { count, decimal, words }),
    duration: (ms) => {
      const unit = units.find(({ unitMs }) => ms >= unitMs)
      return unit === undefined ? words.lessThanMinute : unit.format.format(Math.floor(ms / unit.unitMs))
    },
    day: (ms) => `${dayOfYear.format(ms)} ${new Date(ms).getUTCFullYear()}`,
    shortDay: (ms) => {
      const date = new Date(ms)
      const month = months[date.getUTCMonth()]!
      return words.shortDay({ day: date.getUTCDate(), month, year: date.getUTCFullYear() }, ms)
    },
    dayOfMonth,
    month: (month) => months[month]!,
    weekDay: (day) => weekDays[day]!,
    languageName: (code) => names.of(code) ?? code,
    plural: (amount) => plurals.select(amount),
  }
}

function bytesIn(
  bytes: number,
  { count, decimal, words }: Pick<Locale, 'count' | 'decimal'> & { readonly words: Words },
): string {
  if (bytes < 999.5) return `${count(bytes)} ${bytes === 1 ? words.byte : words.bytes}`
  let amount = bytes / 1_000
  let unit = 0
  while (amount >= 999.5 && unit < byteUnits.length - 1) {
    amount /= 1_000
    unit++
  }
  return `${amount >= 9.95 ? count(amount) : decimal(amount, 1)} ${byteUnits[unit]!}`
}

const made = new Map<Language, Locale>()

function english(): Locale {
  return localeOf('en', 'en-GB', {
    lessThanMinute: 'less than a minute',
    byte: 'byte',
    bytes: 'bytes',
    shortDay: ({ day, month, year }) => `${day} ${month.slice(0, 3)} ${year}`,
  })
}

function german(): Locale {
  const days = new Intl.DateTimeFormat('de', { day: 'numeric', month: 'short', timeZone: 'UTC' })
  return localeOf('de', 'de', {
    lessThanMinute: 'weniger als eine Minute',
    byte: 'Byte',
    bytes: 'Byte',
    shortDay: ({ year }, ms) => `${days.format(ms)} ${year}`,
  })
}

/** Made when asked for: a page's script needs one of them, and most commands none. */
export const locales: Readonly<Record<Language, Locale>> = {
  get en() {
    return made.get('en') ?? kept(english())
  },
  get de() {
    return made.get('de') ?? kept(german())
  },
}

function kept(locale: Locale): Locale {
  made.set(locale.language, locale)
  return locale
}

export function isLanguage(word: string | undefined): word is Language {
  return languages.some((language) => language === word)
}
