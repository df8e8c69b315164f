// Daily hours: the part of each day, UTC, in which something may happen, such as 22:00-06:00.
//
// UTC and nothing else: the peers of a network live in many time zones, and a rule must mean the same to all of them.

const minuteMs = 60_000
const dayMinutes = 24 * 60
const dayMs = dayMinutes * minuteMs

export interface DailyHours {
  /** Minutes since midnight. Where `from` is later than `to` the hours go over midnight; they are never the same. */
  readonly from: number
  readonly to: number
}

/** undefined for what is none. `UTC` may stand at the end. */
export function parseDailyHours(text: string): DailyHours | undefined {
  const match = /^(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})(?:\s*(?:UTC|Z))?$/i.exec(text.trim())
  if (match === null) return undefined
  const from = minuteOf(match[1]!, match[2]!)
  const to = minuteOf(match[3]!, match[4]!)
  if (from === undefined || to === undefined || from % dayMinutes === to % dayMinutes) return undefined
  return { from: from % dayMinutes, to: to % dayMinutes }
}

export function printDailyHours({ from, to }: DailyHours): string {
  return `${printMinute(from)}-${printMinute(to)}`
}

/** The first time from `nowMs` on that lies within the hours: `nowMs` itself, if it does. */
export function nextWithin({ from, to }: DailyHours, nowMs: number): number {
  const minute = (((nowMs % dayMs) + dayMs) % dayMs) / minuteMs
  const isWithin = from < to ? minute >= from && minute < to : minute >= from || minute < to
  if (isWithin) return nowMs
  const waitMinutes = (from - minute + dayMinutes) % dayMinutes
  return Math.ceil(nowMs + waitMinutes * minuteMs)
}

function minuteOf(hour: string, minute: string): number | undefined {
  const [hours, minutes] = [Number(hour), Number(minute)]
  const isTime = minutes < 60 && (hours < 24 || (hours === 24 && minutes === 0))
  return isTime ? hours * 60 + minutes : undefined
}

function printMinute(minute: number): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}
