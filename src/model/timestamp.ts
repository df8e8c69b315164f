// Timestamp: a moment as archives write it, and milliseconds since 1970 as we count it.
//
// Three spellings, all UTC: 14 digits (`20240229235959`), 17 digits with milliseconds, and the ISO dates of WARC
// headers. Only real moments are accepted (no month 13, no 30 February, no leap second), in the years 0 to 9999.
// A timestamp that a person shortens (`2024`, `202402`) means a span of time: see timestampSpan.

import { PolyhistorError } from '../errors.ts'

export class TimestampError extends PolyhistorError {
  declare readonly code: 'timestamp-malformed' | 'timestamp-out-of-range'
}

/** From the first millisecond up to, not including, `toMs`. */
export interface TimeSpan {
  readonly fromMs: number
  readonly toMs: number
}

/** Milliseconds of the first and the last moment that can be written. */
export const timestampMsMin = Date.parse('0000-01-01T00:00:00.000Z')
export const timestampMsMax = Date.parse('9999-12-31T23:59:59.999Z')

/** Where each part stands among the 17 digits, and what it may be; days depend on the month. */
const parts = [
  { start: 0, end: 4, min: 0, max: 9999 },
  { start: 4, end: 6, min: 1, max: 12 },
  { start: 6, end: 8, min: 1, max: 31 },
  { start: 8, end: 10, min: 0, max: 23 },
  { start: 10, end: 12, min: 0, max: 59 },
  { start: 12, end: 14, min: 0, max: 59 },
  { start: 14, end: 17, min: 0, max: 999 },
] as const

/** 14 or 17 digits. */
export function parseTimestamp(text: string): number {
  if (!/^(?:[0-9]{14}|[0-9]{17})$/.test(text)) throw malformed(text, 'it must have 14 or 17 digits')
  return msOfMoment(
    parts.map(({ start, end }) => Number(text.slice(start, end))),
    text,
  )
}

/**
 * The span that 1 to 17 digits stand for: `2024` is the year, `20241` its October to December. Its start is meant by "from", its
 * end by "to"; which capture it means is said in capture-choice.ts.
 */
export function timestampSpan(text: string): TimeSpan {
  if (!/^[0-9]{1,17}$/.test(text)) throw malformed(text, 'it must have 1 to 17 digits')
  const first: number[] = []
  const last: number[] = []
  for (const { start, end, min, max } of parts) {
    const digits = text.slice(start, end)
    const width = end - start
    first.push(Math.max(min, Number(digits.padEnd(width, '0'))))
    // A month that is not given is December, so that its last day is 31; one that is given bounds its days.
    const partMax = start === 6 ? daysOfMonth(last[0]!, last[1]!) : max
    last.push(Math.min(partMax, Number(digits.padEnd(width, '9'))))
  }
  return { fromMs: msOfMoment(first, text), toMs: msOfMoment(last, text) + 1 }
}

/** The fewest digits that stand for this span; of one that no digits stand for, those of its start. */
export function digitsOfSpan({ fromMs, toMs }: TimeSpan): string {
  const digits = printTimestampMs(fromMs)
  for (let length = 1; length < digits.length; length++) {
    const span = timestampSpan(digits.slice(0, length))
    if (span.fromMs === fromMs && span.toMs === toMs) return digits.slice(0, length)
  }
  return digits
}

const warcDatePattern =
  /^([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})(?:T([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?)?)?$/

/**
 * A WARC-Date: to the second with up to 9 further digits, of which we keep milliseconds; or coarser, down to the
 * year, as WARC 1.1 allows. Offsets from UTC are not allowed there, but found; so are times without `Z`, which mean UTC.
 */
export function parseWarcDate(text: string): number {
  const match = warcDatePattern.exec(text)
  if (match === null) throw malformed(text, 'it must look like 2024-02-29T23:59:59Z')
  const [, year, month = '1', day = '1', hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] =
    match
  const ms = fraction.slice(0, 3).padEnd(3, '0')
  const local = msOfMoment([year, month, day, hour, minute, second, ms].map(Number), text)
  return inRange(local - offsetMs(zone, text))
}

/** 14 digits, as in CDXJ lines and replay URLs. */
export function printTimestamp(ms: number): string {
  return digitsOf(ms).slice(0, 14)
}

/** 17 digits, to the millisecond. */
export function printTimestampMs(ms: number): string {
  return digitsOf(ms)
}

/** `2024-02-29T23:59:59Z` */
export function printWarcDate(ms: number): string {
  return `${isoDate(ms).slice(0, 19)}Z`
}

/** `2024-02-29T23:59:59.123Z` */
export function printWarcDateMs(ms: number): string {
  return isoDate(ms)
}

function digitsOf(ms: number): string {
  return isoDate(ms).replace(/[^0-9]/g, '')
}

function isoDate(ms: number): string {
  return new Date(inRange(ms)).toISOString()
}

function inRange(ms: number): number {
  if (ms >= timestampMsMin && ms <= timestampMsMax) return ms
  throw new TimestampError('timestamp-out-of-range', `${ms} ms lie outside the years 0 to 9999`)
}

function msOfMoment(moment: readonly number[], text: string): number {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, ms = 0] = moment
  const isReal =
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysOfMonth(year, month) &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 59
  if (!isReal) throw malformed(text, 'there is no such date')
  // Date.UTC takes the years 0 to 99 for 1900 to 1999; 400 years are always 146,097 days.
  return Date.UTC(year + 400, month - 1, day, hour, minute, second, ms) - 146_097 * 86_400_000
}

function daysOfMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

function offsetMs(zone: string, text: string): number {
  if (zone === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(4, 6))
  if (hours > 23 || minutes > 59) throw malformed(text, 'there is no such offset from UTC')
  const ms = (hours * 60 + minutes) * 60_000
  return zone.startsWith('-') ? -ms : ms
}

function malformed(text: string, why: string): TimestampError {
  return new TimestampError('timestamp-malformed', `"${text.slice(0, 40)}" is no timestamp: ${why}`)
}

/** For people, to the minute. */
export function printMinute(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
