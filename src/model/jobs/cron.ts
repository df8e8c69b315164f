// Cron: times that come again, as five fields say: minute, hour, day of the month, month, day of the week. UTC.
//
//   0 3 * * *        every day at 03:00
//   */15 * * * *     every quarter of an hour
//   0 9 1,15 * mon   at 09:00 on the 1st and the 15th, and on Mondays
//
// As cron has it since Version 7: where both days are limited, one of them is enough. Nothing beyond that (seconds, years, L, #):
// a library for those would cost more than these lines.

import { PolyhistorError } from '../../errors.ts'

class CronMalformed extends PolyhistorError {
  constructor(text: string, why: string) {
    super(
      'schedule-malformed',
      `"${text.slice(0, 80)}" is no schedule of five fields, such as 0 3 * * *: ${why}.`,
    )
  }
}

interface FieldRange {
  readonly what: string
  readonly from: number
  readonly to: number
  readonly names?: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const ranges: readonly FieldRange[] = [
  { what: 'minute', from: 0, to: 59 },
  { what: 'hour', from: 0, to: 23 },
  { what: 'day of the month', from: 1, to: 31 },
  { what: 'month', from: 1, to: 12, names: months },
  { what: 'day of the week', from: 0, to: 7, names: days },
]
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** The 29th of February comes again within eight years. */
const daysLookedAt = 8 * 366 + 1

export interface Cron {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly daysOfMonth: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly daysOfWeek: ReadonlySet<number>
  /** Whether both days are limited: then one of them is enough. */
  readonly isEitherDay: boolean
}

/** Throws 'schedule-malformed'. */
export function parseCron(text: string): Cron {
  const fields = text.trim().split(/\s+/)
  if (fields.length !== 5) throw new CronMalformed(text, `it has ${fields.length}`)
  const [minutes, hours, daysOfMonth, monthsSaid, daysOfWeek] = fields.map((field, index) =>
    valuesOf(field, ranges[index]!, text),
  )
  const cron = {
    minutes: minutes!,
    hours: hours!,
    daysOfMonth: daysOfMonth!,
    months: monthsSaid!,
    // 7 is Sunday, too.
    daysOfWeek: new Set([...daysOfWeek!].map((day) => day % 7)),
    isEitherDay: !fields[2]!.startsWith('*') && !fields[4]!.startsWith('*'),
  }
  if (nextCronMs(cron, Date.UTC(2024, 0)) === undefined) throw new CronMalformed(text, 'there is no such day')
  return cron
}

/** The first time after this one. */
export function nextCronMs(cron: Cron, afterMs: number): number | undefined {
  const fromMs = Math.floor(afterMs / minuteMs) * minuteMs + minuteMs
  for (let day = 0; day < daysLookedAt; day++) {
    const dayStartMs = Math.floor(fromMs / dayMs) * dayMs + day * dayMs
    if (!isOnDay(cron, new Date(dayStartMs))) continue
    for (const minute of minutesOfDay(cron)) {
      const atMs = dayStartMs + minute * minuteMs
      if (atMs >= fromMs) return atMs
    }
  }
  return undefined
}

function isOnDay({ months: inMonths, daysOfMonth, daysOfWeek, isEitherDay }: Cron, date: Date): boolean {
  if (!inMonths.has(date.getUTCMonth() + 1)) return false
  const [ofMonth, ofWeek] = [daysOfMonth.has(date.getUTCDate()), daysOfWeek.has(date.getUTCDay())]
  return isEitherDay ? ofMonth || ofWeek : ofMonth && ofWeek
}

function* minutesOfDay({ hours, minutes }: Cron): Generator<number> {
  for (let hour = 0; hour < 24; hour++) {
    if (!hours.has(hour)) continue
    for (let minute = 0; minute < 60; minute++) if (minutes.has(minute)) yield hour * 60 + minute
  }
}

function valuesOf(field: string, range: FieldRange, text: string): Set<number> {
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const [, span = '', step] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(part) ?? []
    const [from, to] = spanOf(span, step !== undefined, range, text)
    const each = step === undefined ? 1 : Number(step)
    if (each === 0) throw new CronMalformed(text, `a step of the ${range.what} is 0`)
    for (let value = from; value <= to; value += each) values.add(value)
  }
  return values
}

function spanOf(span: string, hasStep: boolean, range: FieldRange, text: string): [number, number] {
  if (span === '*') return [range.from, range.to]
  const [first = '', last, ...more] = span.split('-')
  const from = numberOf(first, range, text)
  const to = last === undefined ? (hasStep ? range.to : from) : numberOf(last, range, text)
  if (more.length > 0 || from > to) throw new CronMalformed(text, `"${span}" is no ${range.what}`)
  return [from, to]
}

function numberOf(word: string, { what, from, to, names }: FieldRange, text: string): number {
  const named = names?.indexOf(word.toLowerCase()) ?? -1
  const value = named === -1 ? Number(word) : named + (from === 1 ? 1 : 0)
  if (!/^(?:\d{1,2}|[a-z]{3})$/i.test(word) || !(value >= from && value <= to))
    throw new CronMalformed(text, `"${word}" is no ${what}`)
  return value
}
